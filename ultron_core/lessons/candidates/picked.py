"""Options that a person picked when the agent asked with its tool for questions: the question with the answer.

The options stand in the call, as data or as a list that the log made of them; the answer stands in the result, beside
its question, or at the end of such a list. Beside its question it may be in the person's own words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ultron_core.lessons.candidates.candidate import LONGEST, Candidate
from ultron_core.models import Message
from ultron_core.transcript.speech import any_of

__all__ = ["ASKING_TOOLS", "find_picked"]

#: the tools by which agents ask: Claude Code, Codex, Cursor, Cline
ASKING_TOOLS = frozenset(
    ("AskUserQuestion", "request_user_input", "ask_question", "ask_followup_question", "ask_user")
)
#: names of what is asked, of what is offered and of what it is called, in the data of such a call
_ASKED, _OFFERED, _NAMED = ("question", "prompt"), ("options", "follow_up"), ("label", "text")
#: marks of a call that a log wrote as a list: its question in bold, then `- **8080** - free on all hosts`, at the end
#: `**Answer:** 8080`
_BOLD, _POINT, _ANSWER = "**", "- **", "**Answer:** "
#: a question that the call does not show in these words and its answer, which may hold words in quotes and ends where
#: another pair, a note, a sentence or nothing follows, e.g. `"Which store?"="only "local files""`, `"Q1?"="Redis", "`
_ASKS, _SAYS = (
    r'(?:^|(?<=: )|(?<=, ))"(?P<other>[^"\n]{2,400})"',
    r'"(?P<answer>(?:[^"\n]|"[^"\n]*"){0,2000}?)"(?=\.?\s*$|\.\s|,\s*"|,?\s*(?:user notes|selected)\b)',
)
#: what may stand before an answer without its question, e.g. `Answer: `, `- User selected: `, `用户选择：`
_LABEL = any_of(
    r"^\s*(?:[-*•→>]\s+)?(?:(?:(?:user )?(?:answers?|selected)|(?:用户)?(?:回答|选择))\s*[:：]\s*)?"
)
#: what stands between two picks, e.g. `, `, `、`
_BETWEEN = re.compile(r"\s*[,，;；、]\s*")
#: what data holds beside the picks of a list: the label of own words, and that no option fits
_NOTE, _NONE = "user_note:", "None of the above"


@dataclass(frozen=True, slots=True)
class _Question:
    asked: str
    #: options with what they mean, which may be empty
    options: tuple[tuple[str, str], ...] = ()
    #: what the result calls the question when not by its text
    key: str = ""


def find_picked(messages: Sequence[Message]) -> Iterator[Candidate]:
    """A candidate of each question that the person answered, by options with what they mean or in own words."""
    results = {m.tool_call_id: i for i, m in enumerate(messages) if m.role == "tool" and m.tool_call_id}
    for place, message in enumerate(messages):
        for call in message.tool_calls:
            if call.name not in ASKING_TOOLS:
                continue
            answered = results.get(call.id)
            written = _written(call.arguments)
            source = None if answered is None else messages[answered]
            told = [written] if written else _answers(list(_questions(call.arguments)), source)
            shown = place if written or answered is None else answered
            yield from (_candidate(messages, shown, one, said) for one, said in told)


def _candidate(
    messages: Sequence[Message], place: int, question: _Question, said: Sequence[str]
) -> Candidate:
    answer = ", ".join(said)
    picked = _listed(answer, question.options)
    named = "; ".join(f"{name}: {meaning}" if meaning else name for name, meaning in picked)
    message = messages[place]
    return Candidate(
        source="choice",
        author="person",
        text=(named or answer)[:LONGEST],
        position=place,
        start_line=message.start_line,
        end_line=message.end_line,
        answers=question.asked[:LONGEST],
        quote=_as_written((picked[0][0] if picked else said[0])[:LONGEST], message.content),
    )


def _questions(arguments: Any) -> Iterator[_Question]:
    asked = arguments.get("questions", [arguments]) if isinstance(arguments, Mapping) else []
    for one in asked if isinstance(asked, Sequence) and not isinstance(asked, str) else []:
        text = _first(one, _ASKED).strip()
        offered = next((one[key] for key in _OFFERED if key in one), ()) if isinstance(one, Mapping) else ()
        if text and isinstance(offered, Sequence) and not isinstance(offered, str):
            yield _Question(text, tuple(filter(None, map(_option, offered))), _first(one, ("id",)))


def _option(raw: Any) -> tuple[str, str] | None:
    if isinstance(raw, str):
        return (raw.strip(), "") if raw.strip() else None
    name = _first(raw, _NAMED).strip()
    return (name, str(raw.get("description") or "")) if name else None


def _first(raw: Any, names: Sequence[str]) -> str:
    """The first text that `raw` holds below one of the names; empty for none."""
    if not isinstance(raw, Mapping):
        return ""
    return next((raw[name] for name in names if isinstance(raw.get(name), str)), "")


def _written(arguments: Any) -> tuple[_Question, list[str]] | None:
    """The question and its answer of a call that the log wrote as a list."""
    lines = [line.strip() for line in _first(arguments, ("input",)).splitlines()]
    asked = next((line.strip("*") for line in lines if line.startswith(_BOLD) and line.endswith(_BOLD)), "")
    answer = next((line.removeprefix(_ANSWER) for line in lines if line.startswith(_ANSWER)), "")
    if not asked or not answer:
        return None
    points = (line.removeprefix(_POINT).partition(_BOLD) for line in lines if line.startswith(_POINT))
    return _Question(asked, tuple((name, meaning.strip(" -–—")) for name, _, meaning in points)), [answer]


def _answers(asked: Sequence[_Question], source: Message | None) -> list[tuple[_Question, list[str]]]:
    """The questions of a call with their answers. An answer without its question is told where it is made of options,
    each of which one question alone offers."""
    result = source.content if source else ""
    named = {name: one for one in asked for name in (one.asked, one.key) if name}
    known = "|".join(re.escape(name) for name in sorted(named, key=len, reverse=True))
    pairs = list(re.finditer(f'(?:"(?P<known>{known or "(?!)"})"|{_ASKS})={_SAYS}', result, re.MULTILINE))
    if pairs:
        found = [(named.get(p["known"]) or _Question(p["other"]), p["answer"].strip()) for p in pairs]
        return [(one, [answer]) for one, answer in found if '"="' not in answer]
    try:
        data, _ = json.JSONDecoder().raw_decode(result, max(result.find("{"), 0))
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, Mapping) and isinstance(data := data.get("answers", data), Mapping):
        return [(one, said) for name, one in named.items() if (said := _items(data.get(name)))]
    options = [option for one in asked for option in one.options]
    picked = _listed(_LABEL.sub("", result).strip(' "”\n'), options)
    if len({name for name, _ in options}) < len(options):
        return []
    of_each = [(one, [name for name, _ in picked if (name, _) in one.options]) for one in asked]
    return [(one, names) for one, names in of_each if names]


def _items(answer: Any) -> list[str]:
    """The picks and the own words of which an answer in data is made."""
    listed = answer.get("answers") if isinstance(answer, Mapping) else answer
    items = listed if isinstance(listed, list) else [listed]
    said = [item.removeprefix(_NOTE).strip() for item in items if isinstance(item, str) and item != _NONE]
    return [item for item in said if item]


def _listed(answer: str, options: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The options of which the whole answer is made; none where it holds anything else."""
    longest = sorted(options, key=lambda option: len(option[0]), reverse=True)
    found: list[tuple[str, str]] = []
    while option := next((o for o in longest if answer.startswith(o[0])), None):
        found.append(option)
        answer = answer[len(option[0]) :]
        between = _BETWEEN.match(answer)
        if between is None:
            break
        answer = answer[between.end() :]
    return [] if answer.strip() else found


def _as_written(quote: str, text: str) -> str:
    """The words as they stand in a text that may hold them as data."""
    forms = (quote, json.dumps(quote, ensure_ascii=False)[1:-1], json.dumps(quote)[1:-1])
    return next((form for form in forms if form in text), quote)
