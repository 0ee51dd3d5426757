"""Decisions that only the agent's words tell: the option that a person picked, and the proposal that they accepted.

What a person decides in their own words the fitted model of plain statements finds (people/plain).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.explanations import clip
from ultron_core.lessons.findings.shape import points_elsewhere
from ultron_core.lessons.people.statements import (
    clean_statement,
    named,
    phrase,
    statement_draft,
)
from ultron_core.lessons.people.turns import Turn
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import language, one_line, sentences
from ultron_core.transcript.speech import QUESTION, any_of

__all__ = ["find_decisions"]

#: "option 1", "plan B", "strategy four", "idea 2", "方案一", "使用 C 的方案"
_OPTION = re.compile(
    r"\b(?:options?|approach|choice|plan|strategy|idea|solution|#)\s*([1-9A-D]|one|two|three|four)\b|"
    r"(?:方案|选项|策略)\s*([1-9一二三四A-D])|"
    r"(?<![A-Za-z])([1-9A-D])\s?(?:的|这个)?(?:方案|选项)",
    re.IGNORECASE,
)
_NUMBERS = {
    "一": "1", "二": "2", "三": "3", "四": "4", "one": "1", "two": "2", "three": "3", "four": "4",
}  # fmt: skip
#: the word before an option's number where the agent offers it, and what may stand in brackets behind the number
_LABEL = r"(?:option|approach|choice|plan|strategy|idea|solution|方案|选项|策略)"
_ASIDE = r"(?:\s*[(（][^()（）\n]{1,20}[)）])?"
#: what the option says, behind blanks or a sign, e.g. `Option A: is a plain file`, `方案2：比较两个文件`; a sentence
#: about it, as in `Option A is smaller`, `方案2更简单`, `Option A, which I like`, says nothing of it
_SAYS = (
    r"(?:[\s*]+(?![\s*]|(?:is|are|was|would|will|has|looks|seems|means|and|or|vs)\b|[是更最比和或])|"
    r"[\s*]*[^\w\s*,，][^\w,，]{0,3}\s*)(\S.{7,})$"
)
#: what does not follow the full stop behind a letter, and behind a number
_NOT_WITHIN = (r"(?![A-Za-z0-9_/\\])", r"(?!\d)")
#: the line before a list of options, e.g. `The options are:`, `Choose one:`, `可选方案：`, and the bare `Now:`.
#: A line about one option introduces none, as that of its steps
_LEADS = re.compile(
    r"\b(?:options?|choose|either)\b(?!\s*[\dA-D]\b)|(?:方案|选项)(?!\s*[\dA-D一二三四])|^\W*now\W*$",
    re.IGNORECASE,
)
#: an agent proposes, e.g. `My recommendation:`, `The fix should go inside`, `我建议`
_PROPOSED = any_of(
    r"\b(?:i(?:'d| would)? (?:recommend|suggest|propose)|my (?:recommendation|suggestion|proposal|lean|pick)|"
    r"recommended|"
    r"the (?:\w+ )?(?:fix|solution|approach|change|way) (?:is|should|would)|(?:we|i) (?:should|could|can) "
    r"(?:\w+ )?(?:use|add|move|keep|replace|delete|store|switch|split|drop|read|check|try))\b|"
    r"\bshould be (?:deleted|replaced|moved|"
    r"kept|split|renamed)\b",
    r"(?:我)?建议|推荐|方案是|可以(?:改|用|采用|把|将)|应该(?:改|用|把|将)",
)
#: takes it: "yes", "y, let's do it", "implement it", "好的，就这样改"
_TAKEN = any_of(
    r"^\W*(?:yes|yeah|yep|yup|y|ok|okay|sure|agreed|correct|right|sounds good|go ahead|do it|please do|perfect|great|"
    r"implement (?:it|that|this|all)|proceed|lgtm|make it so)\b(?!.{0,20}\b(?:but|wait|however)\b)",
    r"^\W*(?:好的?|可以|行|同意|没问题|就这样|按(?:你说的|这个)|是的|执行|开始)",
)
#: a row of a table proposes nothing by itself
_TABLE = "|│┃"
#: characters of a reply that only takes an offer: "go with option 1"
_MAX_TAKEN = 120
#: characters of the option that is quoted
_MAX_OPTION = 320


def find_decisions(
    messages: Sequence[Message], turns: Sequence[Turn], project: str, work: bool
) -> list[MemoryDraft]:
    """At most one decision a turn; none of a talk that is not about work, where people choose seats and dishes."""
    if not work:
        return []
    before = [(turn, messages[turn.before]) for turn in turns if turn.before >= 0]
    told = (_picked(turn, said, project) or _accepted(turn, said, project) for turn, said in before)
    return [draft for draft in told if draft is not None]


def _picked(turn: Turn, before: Message, project: str) -> MemoryDraft | None:
    """ "Go with option 1": the option as the agent had worded it."""
    text = turn.message.content
    match = _OPTION.search(text) if len(text) <= 2 * _MAX_TAKEN else None
    if match is None:
        return None
    number = next(filter(None, match.groups()))
    number = _NUMBERS.get(number.lower(), number)
    offered = _offered(number, before.content)
    if offered is None:
        return None
    option = clip(clean_statement(offered.group(1)), _MAX_OPTION)
    words = PHRASES[language(option)]
    statement = words["choice"].format(option=option, statement=one_line(text))
    draft = statement_draft(
        "decision", statement, turn.message, text.strip(), project, tags=("decision",), confidence=0.7
    )
    return _with_source(draft, before, offered.group(1))


def _offered(number: str, text: str) -> re.Match[str] | None:
    """The option of that number or letter: behind the word `option`, else in a list, else behind the word in code."""
    labelled = re.compile(rf"^[^\w\n]*{_LABEL}\s*{number}{_ASIDE}{_SAYS}", re.IGNORECASE | re.MULTILINE)
    prose = without_code(text)
    return labelled.search(prose) or _in_list(number, prose) or labelled.search(text)


def _in_list(number: str, prose: str) -> re.Match[str] | None:
    """The point of that number in the outermost list; of several lists in the one that is introduced as options."""
    points = list(_point(number).finditer(prose))
    starts = list(_point("1" if number.isdigit() else "A", 1).finditer(prose))
    outermost = min(map(_indent, (*points, *starts)), default=0)
    points = [point for point in points if _indent(point) == outermost]
    begun = [start.start() for start in starts if _indent(start) == outermost]
    if len(points) > 1:
        points = [point for point in points if _LEADS.search(_lead(prose, begun, point.start()))]
    return points[0] if len(points) == 1 else None


def _point(number: str, least: int = 8) -> re.Pattern[str]:
    """A point of a list of at least so many characters, e.g. `1. keep it`, `a) keep it`, `- 1: keep it`, `1、保留`."""
    # a full stop within a name or a number marks no list, e.g. `a.py`, `1.5`
    mark = rf"\s*(?:[)）\]：、*．|]|\ufe0f?\u20e3|[.:]{_NOT_WITHIN[number.isdigit()]}|(?<=\s)[-–—](?=\s))"
    return re.compile(
        rf"^[^\w\n]*{number}{_ASIDE}{mark}\W{{0,3}}\s*(\S.{{{least - 1},}})$", re.IGNORECASE | re.MULTILINE
    )


def _indent(point: re.Match[str]) -> int:
    return len(point[0]) - len(point[0].lstrip())


def _lead(prose: str, starts: Sequence[int], place: int) -> str:
    """The line before the list that a point belongs to, which begins with the last first point up to there."""
    begun = max((start for start in starts if start <= place), default=place)
    return next((line for line in reversed(prose[:begun].splitlines()) if line.strip()), "")


def _accepted(turn: Turn, before: Message, project: str) -> MemoryDraft | None:
    """What the agent proposed last, when the person said yes to it and did not object afterwards."""
    text = turn.message.content.strip()
    if len(text) > _MAX_TAKEN or turn.objected or not _TAKEN.search(text) or turn.does("objection"):
        return None
    told = [
        s
        for s in sentences(without_code(before.content))
        if len(s.encode()) >= 30
        and len(s) <= 360
        and _PROPOSED.search(s)
        and named(s)
        and not QUESTION.search(s)
        and not points_elsewhere(clean_statement(s))
        and s[0] not in _TABLE
    ]
    if not told:
        return None
    statement = clean_statement(told[-1])
    lang = language(statement)
    draft = MemoryDraft(
        content=phrase("decision", statement, project, statement=statement),
        context=PHRASES[lang]["chosen_from"],
        tags=("decision",),
        confidence=0.6,
        memory_type="pattern",
    )
    return _with_source(draft, before, told[-1])


def _with_source(draft: MemoryDraft, source: Message, quote: str) -> MemoryDraft:
    evidence = Evidence(source.start_line, source.end_line, quote[:400].strip())
    return MemoryDraft(
        draft.content,
        draft.context,
        draft.resolution,
        draft.tags,
        draft.confidence,
        draft.memory_type,
        (*draft.evidence, evidence),
    )
