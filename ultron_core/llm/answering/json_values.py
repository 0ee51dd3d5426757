"""The JSON values that an answer means: without the reasoning before them, in time linear to the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ultron_core.errors import ModelAnswerError

__all__ = ["MOST_CHARACTERS", "MOST_NESTED", "Found", "decode", "find_values", "is_too_deep"]

#: an answer of 200 memories with every field at its limit has about 3.5 million
MOST_CHARACTERS = 4_000_000
#: the deepest schema here has 4 levels, a tool call around it 4 more
MOST_NESTED = 32

_TAGS = "think|thinking|thought|thoughts|reasoning|analysis|reflection|scratchpad"
#: "<think>", "<|channel|>analysis<|message|>" (gpt-oss), "[THINK]" (Magistral), "◁think▷" (Kimi)
_THOUGHT_BEGINS = rf"<(?:{_TAGS})>|<\|channel\|>(?:analysis|commentary)<\|message\|>|\[THINK\]|◁think▷"
#: their ends; "assistantfinal" is what is left of gpt-oss's marks when a server drops special tokens
_THOUGHT_ENDS = (
    rf"</(?:{_TAGS})>|<\|channel\|>final(?:\s*<\|constrain\|>\w+)?<\|message\|>|assistantfinal|"
    r"\[/THINK\]|◁/think▷|<(?:answer|final|final_answer|output)>"
)
#: a bracket that opens JSON rather than a remark such as "{maybe}" or "[see below]"
_OPENING = r'\{(?=\s*["\'}])|\[(?=\s*(?:[\[{"\]]|-?\d))'
#: where a thought begins or ends, or JSON begins, e.g. `<think>`, `</think>`, `{"type"`, `[{"a"`
_EVENT = re.compile(
    f"(?P<begin>{_THOUGHT_BEGINS})|(?P<end>{_THOUGHT_ENDS})|(?P<open>{_OPENING})", re.IGNORECASE
)
#: e.g. `</think>`
_ENDS = re.compile(_THOUGHT_ENDS, re.IGNORECASE)
#: a string, without a way back into it: else the matcher keeps 100 bytes for each character of a long one
_STRING = r'"(?:[^"\\]++|\\.)*+"'
#: what is skipped whole or counted, e.g. `"a } in a string"`, `{`, `]`
_TOKEN = re.compile(rf'{_STRING}|"|[\[\]{{}}]', re.DOTALL)
#: what strict JSON refuses, e.g. `,]`, `, }`; a string is matched first and left alone
_COMMA_AT_END = re.compile(rf"({_STRING})|,(?=\s*[\]}}])", re.DOTALL)
#: what Python writes for null, true and false, e.g. `None`, `True`, `NaN`; a string is matched first and left
#: alone
_LITERAL = re.compile(rf"({_STRING})|\b(None|True|False|NaN|-?Infinity)\b", re.DOTALL)
_LITERALS = {"True": "true", "False": "false"}
_CLOSES = {"{": "}", "[": "]"}
#: what may stand around an answer that is nothing but JSON
_AROUND = "`~ \t\r\n"
#: lets raw line ends pass inside a string
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Found:
    """`values` are outermost, in order; `run` are the last ones that nothing but white space separates.

    `alone`: they are all that there is, but for a fence. `broken`: something that began as JSON was not, so that
    what follows may be a part of it.
    """

    values: tuple[Any, ...]
    run: tuple[Any, ...]
    alone: bool
    broken: bool


def find_values(text: str) -> Found:
    """The JSON values after the reasoning. Raises ModelAnswerError when there are none or the last is cut off."""
    if len(text) > MOST_CHARACTERS:
        raise ModelAnswerError(f"the answer has {len(text):,} characters; the limit is {MOST_CHARACTERS:,}")
    found = _Scan(text).run()
    if found.values:
        return found
    raise ModelAnswerError(
        "the JSON value is broken" if found.broken else "the answer contains no JSON value"
    )


class _Scan:
    """One pass over the text; a mark that ends reasoning forgets what was found before it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.values: list[tuple[int, int, Any]] = []
        self.broken = self.thinking = False
        self.answer_from = 0
        self.last_end = max((m.end() for m in _ENDS.finditer(text)), default=-1)

    def run(self) -> Found:
        position = 0
        while event := _EVENT.search(self.text, position):
            position = event.end()
            if event.lastgroup == "open":
                position = self._value(event.start())
            else:
                self.thinking, self.answer_from = event.lastgroup == "begin", position
                self.values, self.broken = [], False
        values = self.values
        if self.thinking:  # the mark of its end is missing: only a value that ends the text can be the answer
            values = [one for one in values[-1:] if not self.text[one[1] :].strip(_AROUND)]
        return Found(
            tuple(one[2] for one in values), self._last_run(values), self._alone(values), self.broken
        )

    def _alone(self, values: list[tuple[int, int, Any]]) -> bool:
        """Whether nothing but a fence and reasoning is around a single value."""
        if len(values) != 1:
            return False
        start, end, _ = values[0]
        before = self.text[max(self.answer_from, 0) : start].strip(_AROUND)
        return before.lower() in ("", "json") and not self.text[end:].strip(_AROUND)

    def _value(self, start: int) -> int:
        """Keep the value that begins here; returns where to go on."""
        end = _end_of_value(self.text, start)
        if end is not None:
            try:
                self.values.append((start, end, decode(self.text[start:end])))
            except ValueError:
                pass
            else:
                return end
        if start < self.last_end:  # a fragment within the reasoning
            return self.last_end_mark()
        if end is None:
            raise ModelAnswerError("the JSON value is cut off")
        self.broken = True
        return end

    def last_end_mark(self) -> int:
        """Behind the last mark that ends reasoning; what was found before it is forgotten."""
        self.values, self.broken, self.thinking = [], False, False
        self.answer_from = self.last_end
        return self.last_end

    def _last_run(self, values: list[tuple[int, int, Any]]) -> tuple[Any, ...]:
        first = len(values) - 1
        while first > 0 and not self.text[values[first - 1][1] : values[first][0]].strip(", \t\r\n"):
            first -= 1
        return tuple(one[2] for one in values[max(first, 0) :])


def _end_of_value(text: str, start: int) -> int | None:
    """Where the brackets that open at `start` are closed, a wrong bracket included; None when they never are."""
    stack: list[str] = []
    for token in _TOKEN.finditer(text, start):
        mark = token.group()
        if mark in _CLOSES:
            stack.append(_CLOSES[mark])
            if len(stack) > MOST_NESTED:
                raise ModelAnswerError(f"the answer is nested more than {MOST_NESTED} levels deep")
        elif mark == '"':
            return None  # a string that never ends
        elif mark in "]}" and (stack.pop() != mark or not stack):
            return token.end()
    return None


def decode(text: str) -> Any:
    """A JSON value, also with trailing commas, raw line ends and Python's literals. Raises ValueError."""
    try:
        return _DECODER.decode(text)
    except ValueError:
        text = _COMMA_AT_END.sub(lambda m: m.group(1) or "", text)
        text = _LITERAL.sub(lambda m: m.group(1) or _LITERALS.get(m.group(2), "null"), text)
        return _DECODER.decode(text)


def is_too_deep(text: str, limit: int = MOST_NESTED) -> bool:
    """Whether brackets outside strings are nested deeper than `limit`."""
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in _CLOSES:
            depth += 1
            if depth > limit:
                return True
        elif mark in "]}":
            depth -= 1
    return False
