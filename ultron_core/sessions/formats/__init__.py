"""One module a log format. To add one: write the module (see `base.Format`) and add its line here.

A harness that writes into the turns of a person has its marks in its module (`MARKS`), listed in ORIGINS.
"""

from __future__ import annotations

from types import MappingProxyType

from ultron_core.sessions.formats import (
    anthropic,
    antigravity,
    claude_code,
    codex,
    copilot,
    cursor,
    droid,
    gemini,
    grok,
    kimi,
    openai,
    openclaw,
    pi,
    qwen,
    sharegpt,
    swe_agent,
)
from ultron_core.sessions.formats.base import Format
from ultron_core.sessions.origins import Origins

__all__ = ["FORMATS", "ORIGINS", "Format"]

#: told apart by the marks of every harness, whatever the format of the log
ORIGINS = Origins([antigravity.MARKS, claude_code.MARKS, codex.MARKS, cursor.MARKS, droid.MARKS])

#: name -> module, asked in this order; a row belongs to the first format that claims it
FORMATS: MappingProxyType[str, Format] = MappingProxyType(
    {
        "qwen": qwen,
        "grok": grok,
        "claude_code": claude_code,
        "codex": codex,
        "copilot": copilot,
        "antigravity": antigravity,
        "kimi": kimi,
        "pi": pi,
        "openclaw": openclaw,
        "droid": droid,
        "gemini": gemini,
        "cursor": cursor,
        "swe_agent": swe_agent,
        "sharegpt": sharegpt,
        "anthropic": anthropic,
        "openai": openai,
    }
)
