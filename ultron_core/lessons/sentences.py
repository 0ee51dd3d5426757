"""The sentences that memories are made of: `templates/<language>.toml`, read once."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from ultron_core.transcript.language import Lang

__all__ = ["PHRASES", "states_cure"]


def _read(lang: Lang) -> dict[str, str]:
    text = files("ultron_core.lessons").joinpath("templates", f"{lang}.toml").read_text("utf-8")
    return {key: str(value) for key, value in tomllib.loads(text).items()}


PHRASES: dict[Lang, dict[str, str]] = {"en": _read("en"), "zh": _read("zh")}

#: sentences that rules write only where the failed check passed later
_CURES = ("worked", "given", "demanded", "value", "set", "edited", "added", "line", "after")
#: any of them with something filled in, e.g. `It worked after setting A to b.`, `改用 pnpm 后成功。`
_CURE = re.compile(
    "|".join(
        ".{1,400}?".join(re.escape(part) for part in re.split(r"\{\w+\}", phrases[name]))
        for phrases in PHRASES.values()
        for name in _CURES
    )
)


def states_cure(resolution: str) -> bool:
    """Whether a memory's resolution begins with a cure that the log proves, in either language."""
    return _CURE.match(resolution) is not None
