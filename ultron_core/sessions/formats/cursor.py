"""Native transcripts of Cursor: `{"role", "message": {"content": [...]}}`, `turn_ended` between turns."""

from __future__ import annotations

from typing import Any

from ultron_core.sessions.formats.base import mapping
from ultron_core.sessions.formats.chat import read_chat
from ultron_core.sessions.origins import Marks
from ultron_core.sessions.state import METADATA, Read, State

__all__ = ["MARKS", "claims", "read"]

#: `<user_query>List files.</user_query>` is the person's part of a prompt
MARKS = Marks(tags=("open_and_recently_viewed_files",), wrappers=("user_query",))


def claims(row: dict[str, Any]) -> bool:
    if row.get("type") in ("turn_ended", "turn_started"):
        return True
    return "role" in row and "content" not in row and isinstance(row.get("message"), dict)


def read(row: dict[str, Any], state: State) -> Read:
    if "role" not in row:
        return METADATA
    state.note(harness="cursor")
    return read_chat({**mapping(row["message"]), "role": row["role"]}, state)
