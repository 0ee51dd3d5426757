"""What a person chose when the agent asked with its tool for questions: the question with the option that was picked.

The options stand in the call, as data or as a list that the log made of them; the answer stands in the result, or at
the end of such a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ultron_core.lessons.people.statements import clean_statement, phrase, word_count
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.language import CJK, language, one_line
from ultron_core.transcript.speech import any_of

__all__ = ["find_answered"]

#: the tools by which agents ask: Claude Code, Codex, Cursor, Cline
_TOOLS = frozenset(
    ("AskUserQuestion", "request_user_input", "ask_question", "ask_followup_question", "ask_user")
)
#: names of what is asked, of what is offered and of what it means, in the data of such a call
_ASKED, _OFFERED, _NAMED, _MEANT = (
    ("question", "prompt"),
    ("options", "follow_up"),
    ("label", "text"),
    "description",
)
#: marks of a call that a log wrote as a list: its question in bold, then `- **8080** - free on all hosts`, at the end
#: `**Answer:** 8080`
_BOLD, _POINT, _ANSWER = "**", "- **", "**Answer:** "
#: what the agent thinks of an option, behind its name
_RECOMMENDED = ("(Recommended)", "(recommended)", "（推荐）", "(推荐)")
#: asks how to go on with the work, e.g. `Should I commit this now?`, `是否继续？`
_ON_THE_WORK = any_of(
    r"\b(?:proceed|continue|next|ready|commit|push|merge|start|approve|plan|confirm)\b",
    r"继续|下一步|开始|提交|推送|合并|执行|确认",
)
#: words, or Chinese characters, of which an option has fewer only where it says what it means
_FEWEST = {"en": 4, "zh": 6}


@dataclass(frozen=True, slots=True)
class _Question:
    asked: str
    #: options with what they mean, which may be empty
    options: tuple[tuple[str, str], ...]


def find_answered(messages: Sequence[Message], project: str, work: bool) -> list[MemoryDraft]:
    """A decision of each question whose options lie open and of which the person picked one or several."""
    if not work:
        return []
    results = {m.tool_call_id: m for m in messages if m.role == "tool" and m.tool_call_id}
    drafts = []
    for message in messages:
        for call in message.tool_calls:
            if call.name in _TOOLS:
                source = results.get(call.id)
                written = _written(call.arguments)
                asked = [written[0]] if written else list(_questions(call.arguments))
                answer = written[1] if written else source.content if source else ""
                drafts += [
                    draft for one in asked if (draft := _decision(one, answer, message, source, project))
                ]
    return drafts


def _decision(
    question: _Question, answer: str, call: Message, source: Message | None, project: str
) -> MemoryDraft | None:
    picked = [(name, meaning) for name, meaning in question.options if _is_picked(name, answer)]
    if not picked or len(picked) == len(question.options) or _ON_THE_WORK.search(question.asked):
        return None
    if not all(meaning or _says_something(name) for name, meaning in picked):
        return None
    asked = clean_statement(question.asked)
    told = "; ".join(f"{_bare(name)}: {meaning}" if meaning else _bare(name) for name, meaning in picked)
    statement = PHRASES[language(asked)]["answered"].format(question=asked, statement=clean_statement(told))
    evidence = [Evidence(call.start_line, call.end_line, picked[0][0])]
    if source is not None and picked[0][0] in source.content:
        evidence.insert(0, Evidence(source.start_line, source.end_line, picked[0][0]))
    return MemoryDraft(
        content=phrase("decision", statement, project, statement=one_line(statement)),
        tags=("decision", "answered"),
        confidence=0.75,
        memory_type="pattern",
        evidence=tuple(evidence),
    )


def _questions(arguments: Any) -> Iterator[_Question]:
    asked = arguments.get("questions", [arguments]) if isinstance(arguments, Mapping) else []
    for one in asked if isinstance(asked, Sequence) and not isinstance(asked, str) else []:
        text = _first(one, _ASKED)
        offered = next((one[key] for key in _OFFERED if key in one), ()) if isinstance(one, Mapping) else ()
        if text and isinstance(offered, Sequence) and not isinstance(offered, str):
            yield _Question(text, tuple(filter(None, map(_option, offered))))


def _option(raw: Any) -> tuple[str, str] | None:
    if isinstance(raw, str):
        return (raw, "") if raw.strip() else None
    name = _first(raw, _NAMED)
    return (name, str(raw.get(_MEANT) or "")) if name else None


def _first(raw: Any, names: Sequence[str]) -> str:
    """The first text that `raw` holds below one of the names; empty for none."""
    if not isinstance(raw, Mapping):
        return ""
    return next((raw[name] for name in names if isinstance(raw.get(name), str)), "")


def _written(arguments: Any) -> tuple[_Question, str] | None:
    """The question and its answer of a call that the log wrote as a list."""
    lines = [line.strip() for line in _first(arguments, ("input",)).splitlines()]
    asked = next((line.strip("*") for line in lines if line.startswith(_BOLD) and line.endswith(_BOLD)), "")
    answer = next((line.removeprefix(_ANSWER) for line in lines if line.startswith(_ANSWER)), "")
    if not asked or not answer:
        return None
    points = (line.removeprefix(_POINT).partition(_BOLD) for line in lines if line.startswith(_POINT))
    return _Question(asked, tuple((name, meaning.strip(" -–—")) for name, _, meaning in points)), answer


def _is_picked(option: str, answer: str) -> bool:
    """Whether an answer holds an option as a whole: between quotes, commas, or at its ends."""
    return (
        re.search(rf"(?:^|[\"“:,，;]\s*){re.escape(option)}\s*(?:$|[\"”,，;.])", answer, re.MULTILINE)
        is not None
    )


def _bare(option: str) -> str:
    for mark in _RECOMMENDED:
        option = option.removesuffix(mark)
    return option.strip()


def _says_something(option: str) -> bool:
    return word_count(_bare(option)) >= _FEWEST["zh" if CJK.search(option) else "en"]
