"""Root causes that the agent states when it closes a task that ended well, and faults that a person reported and it
mended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ultron_core.lessons.errors.told.announced import RESTATES, last_announced
from ultron_core.lessons.errors.told.asserted import is_told
from ultron_core.lessons.errors.told.specific import verbatim, whole
from ultron_core.lessons.findings.shape import stands_alone
from ultron_core.lessons.people.objections.complaints import REPORTS
from ultron_core.lessons.people.statements import (
    POINT,
    after_second_thought,
    clean_statement,
    has_detail,
    named,
    names_a_thing,
    nearest,
    phrase,
    weighty,
    without_opening,
)
from ultron_core.lessons.people.turns import Turn, asked, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message, Outcome
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import CJK, language, one_line, sentences
from ultron_core.transcript.pairs import is_tool_result
from ultron_core.transcript.speech import ACCEPTANCE, QUESTION, any_of
from ultron_core.transcript.wrapped import without_line_breaks

__all__ = ["closing", "find_causes"]

#: a sentence that names a cause, e.g. `The root cause was a stale cache`, `it failed because the port was
#: taken`, `原因是缓存`
_CAUSE = any_of(
    r"\b(?:root cause|smoking gun|culprit)\b",
    r"\bthe (?:real |actual |underlying |core |main |original )?(?:problem|issue|bug|cause|reason|failure|"
    r"error) (?:is|was|were|came|"
    r"comes|stems?)\b",
    r"\bturn(?:s|ed) out\b|\bwas (?:caused|triggered) by\b|\b(?:fail(?:s|ed)|broke|crash(?:es|ed)|hangs?|hung|"
    r"missing|wrong|empty)\b"
    r".{0,80}\b(?:because|due to)\b|\b(?:because|due to)\b.{0,120}\b(?:fail(?:s|ed)|broke|crash(?:es|ed)|"
    r"never fired|ignored)\b",
    r"根本?原因|根因|症结|问题(?:在于|出在|是由)|原因(?:是|在于)|是因为|这是由于|源于",
)
#: a heading over the cause: "## The problem", "**Root cause**", "## 原因分析"
_CAUSE_HEADING = re.compile(
    r"^\W*(?:root cause|the (?:problem|cause|bug|issue)|cause|why(?: (?:it|this) (?:fails|failed|broke|happens|"
    r"happened|works|fixes it))?|what(?:'s| was| is| went) (?:happening|wrong)|"
    r"diagnosis|(?:根本?)?原因(?:分析)?|问题(?:原因|分析|根源|总结|所在)|为什么.{0,16})\W*$",
    re.IGNORECASE,
)
#: below such a heading: says what is amiss, where others only describe, e.g. `the token is never refreshed`,
#: `没有刷新`
_FAULT = any_of(
    r"\b(?:not|never|only|still|n't|without|missing|fails?|failed|wrong|stale|silently|mismatch|already|because|"
    r"treats?)\b|n't\b",
    r"因为|导致|没有|未|丢失|覆盖|缺少|误",
)
#: what was or is to be done about it, e.g. `the client now retries`, `已修复`
_FIX = any_of(
    r"\b(?:fix(?:ed)?|solution|solved|resolved|changed|replaced|removed|added|moved|switched|instead|now \w+s|"
    r"rewrote|updated|so now)\b",
    r"修复|解决|已(?:将|把|改|移除|添加|替换|更新)|改为|改成|现在会|因此(?:改|需要)",
)
#: "Now I have the full picture.", "Let me look at the cause."
_EMPTY = any_of(
    r"^(?:let me|let's|i'll|i will|i need|now i|i'm|here's|to (?:find|understand|see)|this (?:looks|seems)|"
    r"we need)\b|\bi have (?:a|the)\b",
    r"^(?:i|i['’](?:m|ve|ll)|one bonus|\(?\d+\)|lines? \d|there seem|you|we|verified|user)\b",
    r"^(?:我将|让我|我会|我先|接下来|我来|下面|我需要|为(?:了|找))",
    RESTATES.pattern,
)
#: tells the reader what they did wrong; the points below say what it was, e.g. `你在 Astro 里用错了参数`
_BLAMES = re.compile(
    r"\byou(?:r|'ve)? (?:\w+ ){0,2}(?:used|passed|called|wrote|forgot)\b|你(?:在|的|用|写|传)", re.IGNORECASE
)
#: a shorter sentence (in bytes) names no cause, a longer one is a paragraph
_LENGTH = (40, 420)
#: drafts of one segment
_MOST = 2
#: how far after the cause its fix may be told, in sentences
_NEAR = 6
#: of a longer answer the end is read: before it a narrating agent tells what it looks at
_MAX_ANSWER = 6000
#: says what led to what, e.g. `which made the first read fail`, `导致类型错误`
_LED_TO = any_of(
    r"\b(?:because|since|so that|which (?:made|meant|caused)|leads? to|led to)\b|因为|由于|导致|从而|使得"
)
#: tells what was done about it, e.g. `Added a call before each write`, `已将 X 改为 Y`
_DONE = any_of(
    r"^\W*(?:\w+ ){0,2}(?:added|changed|fixed|replaced|removed|moved|rewrote|updated|now)\b",
    r"^\W*(?:已|现在|修复|修正|将|移除|改为)",
)
#: characters of a report that are kept
_MAX_REPORTED = 320


def find_causes(
    messages: Sequence[Message], turns: Sequence[Turn], outcome: Outcome, project: str, work: bool
) -> list[MemoryDraft]:
    """At most two of each closing answer that the person let stand, else what the agent announced as the cause in
    that turn; none of a task that failed."""
    if outcome == "failure" or not work:
        return []
    closed = closing(messages, turns)
    drafts: list[MemoryDraft] = []
    pending: list[MemoryDraft] = []
    ends = [*(turn.position for turn in turns[1:]), len(messages)]
    for turn, end in zip(turns, ends[-len(turns) :] if turns else [], strict=True):
        if turn.does("acceptance") or any(ACCEPTANCE.search(s) for s in own_sentences(turn.message)[:1]):
            drafts, pending = [*drafts, *pending], []
        found = _of(messages[turn.answer], turn, project) if turn in closed else []
        if not found and not turn.objected and (told := _announced(messages, turn, end, project)):
            # what is found later puts the earlier right, unless a person said in between that it works
            pending = told
        if not found and not pending and turn in closed and turn.position < turns[-1].position:
            found = _mended(messages[turn.answer], turn, project)
        drafts += found
    return _last_words([*drafts, *pending])


def _announced(messages: Sequence[Message], turn: Turn, end: int, project: str) -> list[MemoryDraft]:
    """The last cause of a turn that the agent says it has found."""
    found = last_announced(messages, turn.position + 1, end)
    if found is None or _BLAMES.search(found.text) or not stands_alone(found.text):
        return []
    answer = messages[found.position]
    evidence = (Evidence(answer.start_line, answer.end_line, found.quote[:400].strip()),)
    return [
        MemoryDraft(
            content=phrase("cause", found.text, project, statement=found.text),
            context=asked(turn),
            tags=("cause",),
            confidence=0.6,
            memory_type="error",
            evidence=evidence,
        )
    ]


def _last_words(drafts: Sequence[MemoryDraft]) -> list[MemoryDraft]:
    """Of causes in different answers that name the same thing the last: what was found later puts the earlier right."""
    kept: list[MemoryDraft] = []
    for draft in reversed(drafts):
        line, names = draft.evidence[0].start_line, named(draft.content)
        if all(line == one.evidence[0].start_line or names.isdisjoint(named(one.content)) for one in kept):
            kept.insert(0, draft)
    return kept


def closing(messages: Sequence[Message], turns: Sequence[Turn]) -> list[Turn]:
    """Answers that no call follows: what is said before a call is a guess about it."""
    return [
        turn
        for turn in turns
        if turn.answer >= 0
        and not turn.objected
        and not messages[turn.answer].tool_calls
        and not any(
            m.role == "assistant" or is_tool_result(m) for m in messages[turn.answer + 1 : turn.answer + 2]
        )
    ]


def _of(answer: Message, turn: Turn, project: str) -> list[MemoryDraft]:
    content = after_second_thought(answer.content[-_MAX_ANSWER:])
    told = list(_told(content))
    drafts: list[MemoryDraft] = []
    for place, (headed, sentence) in enumerate(told):
        if (
            not (_CAUSE.search(sentence) or (headed and _FAULT.search(sentence)))
            or _EMPTY.search(sentence)
            or _BLAMES.search(sentence)
            or not stands_alone(clean_statement(sentence))
            or not is_told(sentence)
        ):
            continue
        if not (has_detail(sentence) or CJK.search(sentence)):
            continue
        after = [s for _, s in told[place + 1 : place + 1 + _NEAR]]
        fix = next(
            (s for s in after if _FIX.search(s) and has_detail(s) and not _EMPTY.search(s) and is_told(s)), ""
        )
        drafts.append(_draft(answer, whole([s for _, s in told], place, content), fix, asked(turn), project))
        if len(drafts) == _MOST:
            break
    return drafts


def _mended(answer: Message, turn: Turn, project: str) -> list[MemoryDraft]:
    """What a person reported, with what the agent did about it: they went on to something else, so it held."""
    own = [s for s in own_sentences(turn.message) if weighty(s) and not QUESTION.search(s)]
    place = next((i for i, s in enumerate(own) if REPORTS.search(s) and names_a_thing(s)), -1)
    if place < 0 or turn.does("acceptance", "praise"):
        return []
    report = without_opening(one_line(" ".join(own[place : place + 2])))[:_MAX_REPORTED]
    told = [s for _, s in _told(answer.content[-_MAX_ANSWER:])]
    done = [s for s in told if _DONE.search(s) and has_detail(s) and not _EMPTY.search(s) and is_told(s)]
    fix = nearest(done, report)
    if not fix:
        return []
    source = turn.message
    return [
        MemoryDraft(
            content=phrase("reported_fault", report, project, statement=report),
            resolution=_account(fix),
            tags=("cause",),
            confidence=0.6,
            memory_type="error",
            evidence=(
                Evidence(source.start_line, source.end_line, own[place][:400].strip()),
                Evidence(answer.start_line, answer.end_line, fix[:400].strip()),
            ),
        )
    ]


def _told(text: str) -> Iterator[tuple[bool, str]]:
    """Sentences of an answer as they stand there, and whether a heading calls them the cause: its first sentence, and
    of a list below it the items that say what led to what."""
    headed = fresh = False
    for line in without_line_breaks(without_code(text)).splitlines():
        if re.match(r"^\s*(?:#|\||\*\*[^*]+\*\*\s*$)", line):
            headed = fresh = _CAUSE_HEADING.match(line.strip()) is not None
            continue
        for sentence in sentences(line):
            if not (_LENGTH[0] <= len(sentence.encode()) and len(sentence) <= _LENGTH[1]):
                continue
            if sentence[-1] in "?？:：":
                continue
            yield fresh or (headed and bool(POINT.match(line) and _LED_TO.search(sentence))), sentence
            fresh = False


def _draft(answer: Message, sentence: str, fix: str, asked: str, project: str) -> MemoryDraft:
    quotes = (verbatim(said, answer.content) for said in (sentence, fix) if said)
    evidence = [Evidence(answer.start_line, answer.end_line, said[:400].strip()) for said in quotes if said]
    statement = clean_statement(sentence)
    return MemoryDraft(
        content=phrase("cause", statement, project, statement=statement),
        context=asked,
        resolution=_account(fix),
        tags=("cause",),
        confidence=0.65,
        memory_type="error" if fix else "pattern",
        evidence=tuple(evidence),
    )


def _account(fix: str) -> str:
    """What the agent says that it did: nobody has confirmed it, so it is told as the agent's word."""
    told = clean_statement(fix)
    return PHRASES[language(told)]["account"].format(statement=told) if told else ""
