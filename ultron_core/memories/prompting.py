"""Prompts as files: `prompts/<name>.md`, the part above the first `---` line is the system message."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from string import Template

from ultron_core.llm.prompts import read_prompt

__all__ = ["ask"]


def ask(name: str, values: Mapping[str, str]) -> list[dict[str, str]]:
    """The chat messages of a prompt, `$name` places filled from `values`; KeyError when one is missing."""
    system, user = _read(name)
    return [
        {"role": "system", "content": Template(system).substitute(values)},
        {"role": "user", "content": Template(user).substitute(values)},
    ]


@lru_cache(maxsize=8)
def _read(name: str) -> tuple[str, str]:
    system, _, user = read_prompt("ultron_core.memories", name).partition("\n---\n")
    return system.strip(), user.strip()
