"""Session logs of any supported harness in, normalised messages and the fate of every line out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ultron_core.late import late

if TYPE_CHECKING:
    from ultron_core.sessions.discover import discover_sessions
    from ultron_core.sessions.formats import FORMATS, Format
    from ultron_core.sessions.reader import PARSER_VERSION, SessionReader, parse_session, read_session
    from ultron_core.sessions.text import check_names, clean_text

__all__ = [
    "FORMATS",
    "PARSER_VERSION",
    "Format",
    "SessionReader",
    "check_names",
    "clean_text",
    "discover_sessions",
    "parse_session",
    "read_session",
]

__getattr__ = late(
    __name__,
    {
        "discover_sessions": "discover",
        "FORMATS": "formats",
        "Format": "formats",
        "PARSER_VERSION": "reader",
        "SessionReader": "reader",
        "parse_session": "reader",
        "read_session": "reader",
        "check_names": "text",
        "clean_text": "text",
    },
)
