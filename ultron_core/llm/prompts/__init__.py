"""Prompts as files: `prompts/<name>.md` of a package, read once per process."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["read_prompt", "without_examples"]


@cache
def read_prompt(package: str, name: str) -> str:
    """The text of `prompts/<name>.md` of a package, without the line end after it."""
    return files(package).joinpath("prompts", f"{name}.md").read_text("utf-8").rstrip("\n")


def without_examples(prompt: str) -> str:
    """The rules of a prompt; its examples stand at its end."""
    return prompt.partition("\nExamples\n")[0].rstrip()
