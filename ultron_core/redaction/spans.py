"""Spans over a text that is being redacted, and the numbering of placeholders.

A `Draft` keeps the input untouched and collects spans in its coordinates. Finders look at `draft.view`, the
text with the spans so far already replaced, so that a second look sees what a later reader would see: running
the finders until none fires makes redaction idempotent by construction.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ultron_core.models import Finding, Redaction

__all__ = [
    "ENTITIES",
    "JSON_STRING",
    "PLACEHOLDER",
    "SECRETS",
    "Draft",
    "Numbering",
    "Span",
    "ends_of",
    "lowered",
]

#: the entities that log somebody in
SECRETS = (
    "LLM_API_KEY",
    "GITHUB_TOKEN",
    "AWS_ACCESS_KEY",
    "ULTRON_KEY",
    "REDACTED_TOKEN",
    "REDACTED_CREDENTIAL",
)
#: every entity that a placeholder can name
ENTITIES = (
    *SECRETS,
    "REDACTED_WORD",
    "UUID",
    "PHONE_NUMBER",
    "EMAIL_ADDRESS",
    "IP_ADDRESS",
    "CREDIT_CARD",
    "IBAN_CODE",
    "US_SSN",
    "CN_ID",
    "PERSON",
    "USER",
    "PATH",
)
#: e.g. `<PERSON_2>`, `<PATH>`
PLACEHOLDER = re.compile(r"<(" + "|".join(ENTITIES) + r")(?:_(\d{1,9}))?>")
#: the number with what is before and behind it, e.g. `{"password": 12345678}`
_JSON_NUMBER = re.compile(r"[\s:]-?\d{4,40}[\s,}]")
#: e.g. `"a \" b"`
JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` to `end` (exclusive) that hold one value of kind `entity`."""

    start: int
    end: int
    entity: str


def lowered(text: str) -> str:
    """The text in lower case, each character in its place: `İ` becomes two in Unicode's lower case."""
    small = text.lower()
    return small if len(small) == len(text) else text.replace("İ", "I").lower()


def ends_of(text: str, words: Iterable[str]) -> Iterator[int]:
    """Where these words end in the text, unless a letter, digit or dash is before them.

    To search a long text for one word costs a hundredth of what a pattern with alternatives costs.
    """
    for word in words:
        at = text.find(word)
        while at >= 0:
            end = at + len(word)
            if not (at and (text[at - 1].isalnum() or text[at - 1] in "-_")):
                yield end
            at = text.find(word, end)


@dataclass(slots=True)
class Numbering:
    """Which placeholder stands for which value in one document."""

    _known: dict[tuple[str, str], str] = field(default_factory=dict)
    _last: dict[str, int] = field(default_factory=dict)

    def reserve(self, text: str) -> None:
        """Placeholders already in the text keep their meaning: new values get later numbers."""
        if "<" not in text:
            return
        for match in PLACEHOLDER.finditer(text):
            number = int(match[2] or 1)
            self._last[match[1]] = max(self._last.get(match[1], 0), number)

    def placeholder(self, entity: str, value: str) -> str:
        """`<KIND>` for the first distinct value of a kind, `<KIND_2>` for the second, and so on."""
        key = (entity, value)
        if key not in self._known:
            number = self._last[entity] = self._last.get(entity, 0) + 1
            self._known[key] = f"<{entity}>" if number == 1 else f"<{entity}_{number}>"
        return self._known[key]


@dataclass(slots=True)
class Draft:
    """A text and the spans found in it so far (sorted, disjoint, in coordinates of the text)."""

    text: str
    #: only the inside of string literals may change, so that a JSON text stays JSON
    literals: Sequence[tuple[int, int]] | None = None
    #: the text starts like JSON and was not parsed yet
    maybe_json: bool = False
    spans: list[Span] = field(default_factory=list)
    view: str = ""
    #: where each piece of the view between placeholders starts: (position in view, position in text)
    _pieces: list[tuple[int, int]] = field(default_factory=list)
    #: spans that are JSON numbers; their placeholder brings the quotes that keep the text JSON
    _numbers: set[Span] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._render()

    def resolve(self) -> None:
        """In a text that is one JSON value, or one per line, only the inside of string literals may change.

        Checked only when a span is found, because parsing costs more than scanning a text without one.
        """
        if not self.maybe_json:
            return
        self.maybe_json = False
        if _is_json(self.text) or all(_is_json(line) for line in self.text.splitlines() if line.strip()):
            self.literals = [m.span() for m in JSON_STRING.finditer(self.text)]

    def add(self, found: Iterable[Span]) -> list[tuple[int, int]]:
        """Takes spans of the current view, those of higher rank first.

        Returns where the new placeholders stand in the new view. What overlaps a placeholder of the view or a
        span of higher rank is left out.
        """
        taken = [m.span() for m in PLACEHOLDER.finditer(self.view)] if "<" in self.view else []
        taken.sort()
        new: list[Span] = []
        for span in found:
            self.resolve()
            at = bisect_right(taken, (span.start, span.end))
            if at < len(taken) and taken[at][0] < span.end:
                continue
            if at and taken[at - 1][1] > span.start:
                continue
            mapped = self._to_text(span)
            if mapped.end <= mapped.start or not self._allowed(mapped):
                continue
            taken.insert(at, (span.start, span.end))
            new.append(mapped)
        if not new:
            return []
        self.spans = sorted([*self.spans, *new])
        self._render()
        added = set(new)
        return [
            (end - len(span.entity) - 2, end)
            for span, (end, _) in zip(self.spans, self._pieces[1:], strict=True)
            if span in added
        ]

    def finish(self, numbering: Numbering) -> Redaction:
        """The text with numbered placeholders."""
        parts: list[str] = []
        findings: list[Finding] = []
        at = 0
        for span in self.spans:
            placeholder = numbering.placeholder(span.entity, self.text[span.start : span.end])
            if span in self._numbers:
                placeholder = f'"{placeholder}"'
            parts += [self.text[at : span.start], placeholder]
            findings.append(Finding(span.start, span.end, span.entity, placeholder))
            at = span.end
        if not findings:
            return Redaction(self.text)
        return Redaction("".join(parts) + self.text[at:], tuple(findings))

    def _allowed(self, span: Span) -> bool:
        if self.literals is None:
            return True
        at = bisect_right(self.literals, (span.start, len(self.text))) - 1
        if at >= 0 and self.literals[at][0] < span.start and span.end < self.literals[at][1]:
            return True
        if span.entity == "REDACTED_CREDENTIAL" and (at < 0 or self.literals[at][1] <= span.start):
            number = _JSON_NUMBER.fullmatch(self.text, max(0, span.start - 1), span.end + 1)
            if number:
                self._numbers.add(span)
                return True
        return False

    def _to_text(self, span: Span) -> Span:
        view_at, text_at = self._pieces[bisect_right(self._pieces, (span.start, len(self.text))) - 1]
        start = text_at + span.start - view_at
        end = start + span.end - span.start
        if span.entity != "USER" and _escapes_next(self.text, start):
            start += 1  # the first letter belongs to an escape such as \n
        if self.literals is not None:
            _, start = _outside_escape(self.text, start)
            end, _ = _outside_escape(self.text, end)
        return Span(start, end, span.entity)

    def _render(self) -> None:
        parts: list[str] = []
        self._pieces = [(0, 0)]
        length = at = 0
        for span in self.spans:
            placeholder = f'"<{span.entity}>"' if span in self._numbers else f"<{span.entity}>"
            parts += [self.text[at : span.start], placeholder]
            length += span.start - at + len(placeholder)
            at = span.end
            self._pieces.append((length, at))
        self.view = "".join([*parts, self.text[at:]]) if parts else self.text


def _escapes_next(text: str, start: int) -> bool:
    """Is the character at `start` the letter of an escape (odd number of backslashes before it)?"""
    if start == 0 or text[start - 1] != "\\" or text[start : start + 1] not in tuple("nrtbf"):
        return False
    slashes = 1
    while slashes < start and slashes < 64 and text[start - 1 - slashes] == "\\":
        slashes += 1
    return slashes % 2 == 1


def _outside_escape(text: str, at: int) -> tuple[int, int]:
    """Start and end of the JSON escape that a cut at `at` would split; twice `at` when it splits none."""
    for start in range(max(0, at - 5), at):
        before = text[max(0, start - 64) : start]
        if text[start] == "\\" and (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            end = start + (6 if text[start + 1 : start + 2] == "u" else 2)
            if start < at < end:
                return start, end
    return at, at


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
