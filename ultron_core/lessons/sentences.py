"""The sentences that memories are made of: `templates/<language>.toml`, read once."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from ultron_core.transcript.language import Lang

__all__ = ["PHRASES", "cure_in"]


def _read(lang: Lang) -> dict[str, str]:
    text = files("ultron_core.lessons").joinpath("templates", f"{lang}.toml").read_text("utf-8")
    return {key: str(value) for key, value in tomllib.loads(text).items()}


PHRASES: dict[Lang, dict[str, str]] = {"en": _read("en"), "zh": _read("zh")}

#: sentences that rules write only where the failed check passed later
_CURES = ("worked", "given", "demanded", "value", "set", "edited", "added", "line", "after", "ran_instead")
#: any of them with something filled in, at the beginning of a sentence, e.g. `It worked after setting A to b.`, `改用
#: pnpm 后成功。`
_CURE = re.compile(
    r"(?:\A|(?<=[.。!?] )|(?<=[。\n]))(?:"
    + "|".join(
        "[^\n]{1,400}?".join(re.escape(part) for part in re.split(r"\{\w+\}", phrases[name]))
        for phrases in PHRASES.values()
        for name in _CURES
    )
    # the end of a sentence, not of "config" in "config/test.exs"
    + r")(?=\s|\Z)"
)


def cure_in(resolution: str) -> str:
    """The sentence of a memory's resolution that tells a cure which the log proves, in either language; else empty."""
    found = _CURE.search(resolution)
    return found[0] if found else ""
