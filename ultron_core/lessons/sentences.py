"""The sentences that memories are made of: `templates/<language>.toml`, read once."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from ultron_core.transcript.language import Lang, language

__all__ = ["PHRASES", "phrases_of"]

#: Japanese letters, e.g. `は`, `ル`
_KANA = re.compile(r"[\u3040-\u30ff]")


def _read(lang: Lang) -> dict[str, str]:
    text = files("ultron_core.lessons").joinpath("templates", f"{lang}.toml").read_text("utf-8")
    return {key: str(value) for key, value in tomllib.loads(text).items()}


PHRASES: dict[Lang, dict[str, str]] = {"en": _read("en"), "zh": _read("zh")}


def phrases_of(text: str) -> dict[str, str]:
    """The phrases around a text; Japanese, which shares characters with Chinese, is framed in English."""
    return PHRASES["en" if _KANA.search(text) else language(text)]
