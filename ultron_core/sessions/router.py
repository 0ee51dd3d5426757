"""Gives each row to the format that claims it, and tells the format of the file."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ultron_core.sessions.formats import FORMATS, Format
from ultron_core.sessions.formats.chat import read_plain
from ultron_core.sessions.state import Read, State
from ultron_core.sessions.text import TooDeepError

__all__ = ["FORMAT_FAULTS", "Router"]

#: what a format may raise on a row of an unforeseen shape; one row must not cost the whole file
FORMAT_FAULTS = (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError)
#: row shapes remembered with the format that took the last one
_MOST_SHAPES = 4096
_SPEAKERS = ("user", "assistant", "system")


class _Claim:
    """One format and how many rows of messages it has read."""

    __slots__ = ("claims", "name", "read", "rows")

    def __init__(self, name: str, module: Format) -> None:
        self.name, self.claims, self.read = name, module.claims, module.read
        self.rows = 0


class Router:
    """Most rows belong to the format that took the last row of the same shape; that one is asked first."""

    def __init__(self, only: str | None) -> None:
        self._only = only
        names = [only] if only else list(FORMATS)
        self._claims = [_Claim(name, FORMATS[name]) for name in names]
        self._plain = next((claim for claim in self._claims if claim.name == "openai"), None)
        self._recent: dict[tuple[Any, ...], _Claim] = {}

    def read(self, row: dict[str, Any], state: State) -> Read:
        """The messages of a row, none for metadata, or the reason for skipping it."""
        try:
            content = row.get("content")
            if content.__class__ is str and self._plain is not None:
                plain = read_plain(row, content, state)
                if plain is not None:
                    self._plain.rows += 1
                    return plain
            kind = row.get("type")
            shape = (kind if kind.__class__ is str else None, content.__class__, *row)
            claim = self._recent.get(shape)
            # the blocks in a list tell OpenAI from Anthropic, so two rows of the same shape may differ in format
            if claim is None or content.__class__ is list or not claim.claims(row):
                claim = next((claim for claim in self._claims if claim.claims(row)), None)
                if claim is None:
                    return self._nobody(row, state)
                if len(self._recent) >= _MOST_SHAPES:
                    self._recent.clear()
                self._recent[shape] = claim
            return self._take(claim, row, state)
        except TooDeepError:
            return "too_deep"
        except FORMAT_FAULTS:
            return "malformed_row"

    @staticmethod
    def _take(claim: _Claim, row: dict[str, Any], state: State) -> Read:
        result = claim.read(row, state)
        if result and result.__class__ is list:
            claim.rows += 1
        return result

    def _nobody(self, row: dict[str, Any], state: State) -> Read:
        # {"role": "user", "content": "..."} may be of any format; it is Anthropic's when the caller says so
        if self._only == "anthropic" and row.get("role") in _SPEAKERS and isinstance(row.get("content"), str):
            return self._take(self._claims[0], row, state)
        if self._only:
            return "other_format"
        return "unknown_type" if isinstance(row.get("type"), str) else "no_role"

    def format(self, state: State) -> str | None:
        """The format of most rows read so far, None before the first.

        Rows of role and text alone are the same in OpenAI and Anthropic logs: they count for the format of which
        the file has more rows that only it can have, and for OpenAI when there are none.
        """
        rows = Counter[str]()
        for claim in self._claims:
            rows[state.dialects.get(claim.name, claim.name)] += claim.rows
        if rows["anthropic"] > state.openai_marks:
            rows["anthropic"] += rows["openai"] - state.openai_marks
            rows["openai"] = state.openai_marks
        best, most = rows.most_common(1)[0]
        return best if most else None
