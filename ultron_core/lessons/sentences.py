"""The sentences that memories are made of: `templates/<language>.toml`, read once."""

from __future__ import annotations

import tomllib
from importlib.resources import files

from ultron_core.transcript.language import Lang

__all__ = ["PHRASES"]


def _read(lang: Lang) -> dict[str, str]:
    text = files("ultron_core.lessons").joinpath("templates", f"{lang}.toml").read_text("utf-8")
    return {key: str(value) for key, value in tomllib.loads(text).items()}


PHRASES: dict[Lang, dict[str, str]] = {"en": _read("en"), "zh": _read("zh")}
