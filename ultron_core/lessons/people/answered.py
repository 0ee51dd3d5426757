"""What a person chose when the agent asked with its tool for questions: the question with the answer.

The options stand in the call, as data or as a list that the log made of them; the answer stands in the result, beside
its question, or at the end of such a list. Beside its question it may be in the person's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ultron_core.lessons.people.plain.shape import only_asks
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
#: asks how to go on with the work, e.g. `Should I commit this now?`, `Ready to push?`, `What should I do next?`,
#: `How should I proceed?`, `Does this plan look right?`, `是否继续？`, `方案已确认，是否按此实现？`, `下一步做什么？`
_ON_THE_WORK = any_of(
    r"\b(?:(?:should|shall|may|can) i|(?:want|like)(?: me)? to|ready to)\b.{0,24}\b(?:commit|push|merge|start|begin|"
    r"proceed|continue|go (?:ahead|on)|implement(?= (?:it|(?:this|the) plan)\W*$))\b",
    r"\b(?:this|the)(?: right)? plan(?: look| right| ok|\W*$)|\b(?:next|now|ready)\W*$",
    r"是否(?:要|现在)?(?:继续|按此|提交|推送|合并)|(?:继续|提交|推送|合并|执行)(?:代码)?[吗么？?\s]+$|下一步|接下来",
)
#: a question and its answer in the result, e.g. `"Which store?"="Redis"`, or in data `"Which store?": "Redis"`,
#: `"store": {"answers": ["Redis"`
_PAIR = re.compile(
    r'"(?P<asked>[^"\n]{2,400})"\s*(?P<sign>[=:])\s*(?:\{\s*"answers"\s*:\s*)?(?:\[\s*)?"(?P<answer>[^"\n]{0,2000})"'
)
#: what may stand before an answer without its question, e.g. `Answer: `, `- User selected: `, `用户选择：`
_LABEL = re.compile(
    r"^\W*(?:(?:(?:user )?(?:answers?|selected)|(?:用户)?(?:回答|选择))\s*[:：]\s*)?", re.IGNORECASE
)
#: what stands between two picks, e.g. `, `, `、`
_BETWEEN = re.compile(r"\s*[,，;；、]\s*")
#: words, or Chinese characters, of which an answer has fewer only where its option says what it means
_FEWEST = {"en": 4, "zh": 6}


@dataclass(frozen=True, slots=True)
class _Question:
    asked: str
    #: options with what they mean, which may be empty
    options: tuple[tuple[str, str], ...] = ()
    #: what the result calls the question when not by its text
    key: str = ""


def find_answered(messages: Sequence[Message], project: str, work: bool) -> list[MemoryDraft]:
    """A decision of each question that the person answered by options, or in own words that say something."""
    if not work:
        return []
    results = {m.tool_call_id: m for m in messages if m.role == "tool" and m.tool_call_id}
    drafts = []
    for message in messages:
        for call in message.tool_calls:
            if call.name in _TOOLS:
                source = results.get(call.id)
                written = _written(call.arguments)
                told = [written] if written else _answers(list(_questions(call.arguments)), source)
                drafts += [
                    draft
                    for one, answer in told
                    if (
                        draft := _decision(one, answer, message if written or not source else source, project)
                    )
                ]
    return drafts


def _decision(question: _Question, answer: str, source: Message, project: str) -> MemoryDraft | None:
    picked = _listed(answer, question.options)
    if _ON_THE_WORK.search(question.asked) or 0 < len(question.options) == len(picked):
        return None
    if not picked and only_asks(answer):
        return None
    if not all(meaning or _says_something(name) for name, meaning in picked or [(answer, "")]):
        return None
    asked = clean_statement(question.asked)
    named = (f"{_bare(name)}: {meaning}" if meaning else _bare(name) for name, meaning in picked)
    told = "; ".join(named) or answer
    statement = PHRASES[language(asked)]["answered"].format(question=asked, statement=clean_statement(told))
    quotes = [name for name, _ in picked] or [answer]
    return MemoryDraft(
        content=phrase("decision", statement, project, statement=one_line(statement)),
        tags=("decision", "answered"),
        confidence=0.75,
        memory_type="pattern",
        evidence=tuple(Evidence(source.start_line, source.end_line, quote[:400]) for quote in quotes),
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


def _answers(asked: Sequence[_Question], source: Message | None) -> list[tuple[_Question, str]]:
    """The questions of a call with their answers. An answer without its question is told where it is made of options,
    each of which one question alone offers."""
    result = source.content if source else ""
    named = {name: one for one in asked for name in (one.asked, one.key) if name}
    pairs = list(_PAIR.finditer(result))
    if pairs:
        found = ((named.get(p["asked"]) or _unlisted(p), p["answer"].strip()) for p in pairs)
        return [(one, answer) for one, answer in found if one]
    options = [option for one in asked for option in one.options]
    picked = _listed(_LABEL.sub("", result).strip(' "”\n'), options)
    if len({name for name, _ in options}) < len(options):
        return []
    of_each = [(one, ", ".join(name for name, _ in picked if (name, _) in one.options)) for one in asked]
    return [(one, answer) for one, answer in of_each if answer]


def _unlisted(pair: re.Match[str]) -> _Question | None:
    """A question that the call does not show in these words; data has other pairs, too."""
    return _Question(pair["asked"]) if pair["sign"] == "=" else None


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


def _bare(option: str) -> str:
    for mark in _RECOMMENDED:
        option = option.removesuffix(mark)
    return option.strip()


def _says_something(option: str) -> bool:
    return word_count(_bare(option)) >= _FEWEST["zh" if CJK.search(option) else "en"]
