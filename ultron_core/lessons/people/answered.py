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
#: what the agent's own work is called after `push`, `start`: `it`, `the branch`, or nothing more
_WORK = (
    r"(?=\W*$|\W+(?:it|this|that|these|them|to (?:main|master|origin|the remote)|working|work|coding|implementing|"
    r"implementation|with|(?:the|my|your|all)(?: \w+)? (?:pr|pull request|branch|changes?|commits?|fix|work|"
    r"implementation|plan|spec|design))\b|.{0,80}\bnow\b)"
)
#: how a question about going on begins, e.g. `So, `, `All tests pass — `, and who is to go on, e.g. `should I`,
#: `do you want me to`, with `now`, `just` behind it
_OPENS = r"(?:^|[.!?:,;—–]\s+)(?:(?:so|ok|and|then)\W+)?"
_WHO = (
    r"(?:(?:should|shall|can|may|could|do|would) (?:i|we|you)(?: (?:want|like|prefer)(?: (?:me|us))?(?: to)?)?|"
    r"(?:are )?(?:you|we) ready to|ready to|ready for)"
)
_FIRST = r" ?(?:(?:now|just|also|already|go ahead and|create and|first) )?"
#: what was planned, or nothing more, e.g. `implement this plan`, `implement it now`; not `implement this as a class`
_PLANNED = (
    r"(?=(?: (?:it|this|that|these|them|all))?\W*$|"
    r"\W+(?:this|the|my|your) (?:plan|spec|design)\b|.{0,80}\bnow\b)"
)
#: asks how to go on with the work, e.g. `Should I commit this now?`, `Ready to push?`, `What should I do next?`,
#: `How should I proceed?`, `Does this plan look right?`, `是否继续？`, `方案已确认，是否按此实现？`, `下一步做什么？`
_ON_THE_WORK = any_of(
    rf"{_OPENS}(?:(?:how|where|when)\W+)?{_WHO}?{_FIRST}"
    rf"(?:(?:proceed|continue|go ahead|go on)\b|(?:commit|push|merge|start|begin|approve|confirm|execute)\b{_WORK})",
    # not `Commit message style?`, `How should we implement it?`
    rf"{_OPENS}(?:(?:how|where|when)\W+)?{_WHO}{_FIRST}commit\b|{_OPENS}{_WHO}?{_FIRST}implement\b{_PLANNED}",
    r"^(?:are (?:you|we) )?ready\b",
    # not `Is the pricing plan per user?`
    r"^(?:is|does|do you approve|are you (?:ok|happy|fine) with)(?: of)? (?:this|the|my|that)"
    r"(?: (?:the|an?|right|good|new|updated|revised|proposed|implementation|overall))* plan\b",
    r"^what(?:'s| is)? (?:to do )?next\b|^(?:what|which \w+) (?:comes|is|goes) next\W*$",
    r"^(?:what|which|where|how)\b.{0,60}\b(?:i|we|you|me)\b.{0,60}\bnext\W*$",
    r"(?:^(?:要不要|需不需要|需要|可以|能否|能不能|请|现在|要)|(?:^|[。，！])是否)"
    r"(?:我们?|您|你|现在|立即|马上|直接|需要|可以|按此|帮你)*"
    r"(?:继续|开始(?!日期|时间)|提交|推送|执行|确认(?:方案|计划|[？?]?$)|"
    r"(?:实现|实施)(?:吗|么|此方案|该方案|这个方案)?[？?\s]*$)",
    r"(?:继续|开始|提交|推送|合并|执行|确认)(?:吗|么)?[？?\s]*$",
    r"(?:^|[。，！])(?:请问|那么?|接下来)?(?:下一步|接下来)(?:[我你您要该做想是怎如应先，]|[？?]|$)",
)
#: what calls the rest of a line an answer, e.g. `Answer: pkg/util`, `→ User selected: pkg/util`, `A: pkg/util`,
#: `用户选择：整数`; not `Not selected: pkg/util`
_CALLED = (
    r"(?![^:：\n]{0,100}(?:\b(?:not|none|neither)\b|不|没|未))"
    r"(?:[^:：\n]{0,60}\b(?:answer|select|choice|chose|pick|repl|respon)\w*[^:：\n]{0,40}|"
    r"[^:：\n]{0,20}(?:回答|选择|答案|答复|选了)[^:：\n]{0,20}|A|答)[:：]\s*"
)
#: where an answer begins that no question stands before: at the beginning of a line, behind what calls it an answer,
#: or behind the sign before a quote, e.g. `="pkg/util"`
_BEGINS = (
    re.compile(r"^[\s\-*•>→:：=\"“]*"),
    re.compile(rf"^[\s\-*•>→]*{_CALLED}[\"“]?", re.IGNORECASE),
    re.compile(r"[:：=\[]\s*[\"“]"),
)
#: a line beside the answer that takes nothing back, e.g. `User answers:`, `Q:`, `问题：`, `You can now continue.`, `}`
_BESIDE = re.compile(
    rf"^\W*(?:{_CALLED}\W*|(?:Q|Question|问题?)\W*|You can (?:now|continue|go on)\b.*)?$", re.IGNORECASE
)
#: what ends it, e.g. `". You can go on.`
_ENDS = re.compile(r"\s*[.。]?\s*(?:[\"”]|\Z|You can\b)")
#: what stands between two picks, in data with quotes, e.g. `, `, `", "`, `、`
_BETWEEN = re.compile(r"[\"”]?\s*[,，;；、]\s*[\"“]?")
#: words, or Chinese characters, of which an option has fewer only where it says what it means
_FEWEST = {"en": 4, "zh": 6}


@dataclass(frozen=True, slots=True)
class _Question:
    asked: str
    #: options with what they mean, which may be empty
    options: tuple[tuple[str, str], ...]
    #: what the result calls the question when not by its text
    key: str = ""


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
                    draft
                    for one in asked
                    if (draft := _decision(one, _picked(one, asked, answer), message, source, project))
                ]
    return drafts


def _decision(
    question: _Question,
    picked: Sequence[tuple[str, str]],
    call: Message,
    source: Message | None,
    project: str,
) -> MemoryDraft | None:
    if not picked or len(picked) == len(question.options) or _ON_THE_WORK.search(question.asked):
        return None
    if not all(meaning or _says_something(name) for name, meaning in picked):
        return None
    asked = clean_statement(question.asked)
    told = "; ".join(f"{_bare(name)}: {meaning}" if meaning else _bare(name) for name, meaning in picked)
    statement = PHRASES[language(asked)]["answered"].format(question=asked, statement=clean_statement(told))
    told_by = [m for m in (source, call) if m is not None]
    evidence = [
        Evidence(m.start_line, m.end_line, name)
        for m in told_by
        for name, _ in picked
        if m is call or name in m.content
    ]
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


def _picked(question: _Question, asked: Sequence[_Question], result: str) -> list[tuple[str, str]]:
    """The options of one question of a call that its answer is made of; none when it holds anything else."""
    answer = _answer_to(question, asked, result)
    if answer is not None:
        names = _listed(answer, question.options)
    else:
        names = _listed_anywhere(asked, result)
        shared = {name for other in asked if other is not question for name, _ in other.options}
        names = [] if shared.intersection(name for name, _ in question.options) else names
    return [option for option in question.options if option[0] in names]


def _answer_to(question: _Question, asked: Sequence[_Question], result: str) -> str | None:
    """What stands behind a question's own text, or key, up to the next question; None where neither is written."""
    begun = _mark(question).search(result)
    if begun is None:
        return None
    following = (_mark(other).search(result, begun.end()) for other in asked if other is not question)
    return result[begun.end() : min((m.start() for m in following if m), default=len(result))]


def _mark(question: _Question) -> re.Pattern[str]:
    """`"Which store?"="`, or in data `"Which store?": "`, `"store": {"answers": ["`."""
    names = "|".join(re.escape(name) for name in (question.asked, question.key) if name)
    return re.compile(rf'"\s*(?:{names})\s*"\s*(?:=|:)\s*(?:\{{\s*"answers"\s*:\s*)?(?:\[\s*)?"')


def _listed_anywhere(asked: Sequence[_Question], result: str) -> list[str]:
    """The options, of any question, of which an answer is made that stands alone, behind a label or in quotes; none
    where a line says anything else."""
    for one in asked:
        result = result.replace(one.asked, "")
    options = [option for one in asked for option in one.options]
    lines = [line for line in result.splitlines() if not _BESIDE.match(line)]
    listed = [_listed_in(line, options) for line in lines]
    return [name for names in listed for name in names] if all(listed) else []


def _listed_in(line: str, options: Sequence[tuple[str, str]]) -> list[str]:
    """The options of which a line is made behind any of the places where an answer may begin."""
    places = sorted({match.end() for begins in _BEGINS for match in begins.finditer(line)})
    return [name for place in places for name in _listed(line[place:], options)]


def _listed(answer: str, options: Sequence[tuple[str, str]]) -> list[str]:
    """The options at the beginning of an answer when there is nothing else up to its end."""
    longest = sorted((name for name, _ in options), key=len, reverse=True)
    found: list[str] = []
    place = 0
    while name := next((name for name in longest if _stands_at(name, answer, place)), ""):
        found.append(name)
        place += len(name)
        if _ENDS.match(answer, place):
            between = _BETWEEN.match(answer, place)
            if not between or not any(_stands_at(name, answer, between.end()) for name in longest):
                return found
        between = _BETWEEN.match(answer, place)
        if between is None:
            return []
        place = between.end()
    return []


def _stands_at(option: str, answer: str, place: int) -> bool:
    """Whether an option stands there as a whole."""
    after = place + len(option)
    return answer.startswith(option, place) and bool(
        _ENDS.match(answer, after) or _BETWEEN.match(answer, after)
    )


def _bare(option: str) -> str:
    for mark in _RECOMMENDED:
        option = option.removesuffix(mark)
    return option.strip()


def _says_something(option: str) -> bool:
    return word_count(_bare(option)) >= _FEWEST["zh" if CJK.search(option) else "en"]
