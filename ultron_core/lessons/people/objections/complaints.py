"""Complaints: a person reports that what the agent delivered fails; told with its cure, or as left open at the end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ultron_core.lessons.errors.told.asserted import is_told
from ultron_core.lessons.findings.shape import stands_alone
from ultron_core.lessons.people.objections.drafts import objection_draft
from ultron_core.lessons.people.statements import names_a_thing, weighty
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import MemoryDraft, Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import language, one_line, sentences
from ultron_core.transcript.speech import QUESTION, any_of

__all__ = ["ASKS_WHY", "REPORTS", "Complaint", "complaint_draft", "find_complaint", "told_in"]

#: openings of an answer that say nothing of what was done, e.g. `Sure, let me look`
_WEAK = re.compile(
    r"^(?:yes|ok|good|great|sure|now|let me|i'll|done|fixed|you're right|all (?:tests|checks)|sorry|got it|here|"
    r"好的|是的|没问题|抱歉|我将|让我|现在|已?完成)",
    re.IGNORECASE,
)
#: how what was drawn or set in begins, and no sentence of an answer, e.g. `## Plan`, `| a |`, `> said`, `┌───`
_SET_IN = re.compile(r"[#|`>\u2500-\u257f]")
#: asks for the cause in the middle of a sentence, without a question mark: "这是为什么啊"
ASKS_WHY = re.compile(r"为什么|怎么回事|什么原因|^why\b", re.IGNORECASE)
#: the question around a report, e.g. `按钮不能点,这是为什么啊`, `The button is gone, why is that?`
_THEN_WHY = re.compile(
    r"^为什么\s*|[,，]?\s{0,20}(?:这|那)?(?:是)?(?:为什么|怎么回事|什么原因)(?:呢|啊|呀|吗)?\s*[?？]?$|"
    r"[,;]?\s{0,20}\bwhy(?: is that)?\s*\?$",
    re.IGNORECASE,
)
#: a person reports that something does not do what it should, e.g. `it silently fails`, `打开就报错`
REPORTS = any_of(
    r"\bthere(?:['’]?s| is| are) (?:an? |some )?(?:issue|bug|problem|error)s?\b",
    r"\b(?:broken|fails?|failing|crash(?:es|ed|ing)?|silently|hangs?)\b",
    r"\b(?:doesn['’]?t|does not|isn['’]?t|won['’]?t|didn['’]?t|not|never) (?:\w+ ){0,2}"
    r"(?:work|show|appear|run|load|match|find|update|save|render|compile|start|fire)\w*\b",
    r"报错|失败|无法|不能|没有(?:生效|反应|变化)|不显示|不(?:一致|正确)",
)
#: the same of what an agent delivered, which is named in the words before, e.g. `z-index 太高了`, `it is still red`
_SYMPTOM = any_of(
    REPORTS.pattern,
    r"\b(?:too \w+|still|wrong|missing|gone|no longer)\b",
    r"没(?:有|法)|不(?:在|会|对)|太|盖住|错误|有(?:点|一?个)?问题|出现",
)
#: says what is to be done instead, e.g. `你应该去修改 lit 下的处理`
_INSTRUCTS = any_of(r"\b(?:should|must|need to|instead)\b", r"应该|只需要|可以看看|参考|不是(?:你|我)")
#: what an answer says of a cause or a cure, e.g. `The hidden input was still linked to the label because`
_CURE = any_of(
    r"\b(?:because|so that|which (?:meant|caused)|root cause|the fix|fixed by|turn(?:s|ed) out|"
    r"was (?:still )?\w+ing)\b",
    r"\b(?:now|no longer) \w+s?\b|\b(?:removed|replaced|moved|renamed|switched|changed|added|restored|reverted)\b",
    r"因为|由于|原因|根因|问题(?:在于|出在)|已(?:经)?(?:改|将|把|移除|删除|修复|调整|替换)|改为|改成",
)
#: a report is read from the classifier alone
_CONFIDENCE = 0.7
#: a cure is told at the beginning of an answer; notes on other things come later
_FIRST_TOLD = 5


def told_in(answer: str) -> list[str]:
    """The sentences of an agent's answer that may say what it did or claimed."""
    return [s for s in sentences(without_code(answer)) if not _WEAK.match(s) and not _SET_IN.match(s)]


@dataclass(frozen=True, slots=True)
class Complaint:
    """What was reported, the turn that reported it, and the agent's words for the cure; none when it was left open."""

    turn: Turn
    told: str
    cure: str


def complaint_draft(
    complaint: Complaint, messages: Sequence[Message], context: str, project: str
) -> MemoryDraft:
    """An error that a person reported; `context` is what the agent had said and done before."""
    words, cure, quote = PHRASES[language(complaint.told)], complaint.cure, ""
    if cure:
        answer = messages[complaint.turn.answer]
        quote = next((s for s in sentences(answer.content) if one_line(s) == cure), "")
    return objection_draft(
        messages,
        complaint.turn,
        [complaint.told],
        key="reported_fault",
        memory_type="error",
        tag="reported",
        confidence=_CONFIDENCE,
        context=context,
        resolution=words["then_did"].format(statement=cure) if cure else words["no_cure"],
        quote=quote,
        project=project,
    )


def find_complaint(messages: Sequence[Message], turns: Sequence[Turn], at: int) -> Complaint | None:
    """The complaint of turn `at` with the cure that the person let stand, or, at the end of the segment, without."""
    turn = turns[at]
    if turn.before < 0 or turn.objected or not turn.does("objection"):
        return None
    told = next((s for s in own_sentences(turn.message) if _reports(s)), "")
    cure = _cure(messages[turn.answer]) if turn.answer >= 0 else ""
    if told and cure:
        return Complaint(turn, told, cure)
    return _left_open(turns, at) if at + 1 == len(turns) else None


def _left_open(turns: Sequence[Turn], at: int) -> Complaint | None:
    """The turn that first named the fault: "still broken" only repeats it."""
    while at > 0 and turns[at - 1].objected and turns[at - 1].does("objection"):
        at -= 1
    told = (s for s in own_sentences(turns[at].message) if _reports(s) and names_a_thing(s))
    return next((Complaint(turns[at], sentence, "") for sentence in told), None)


def _reports(sentence: str) -> bool:
    bare = _THEN_WHY.sub("", sentence)
    if QUESTION.search(bare) or ASKS_WHY.search(bare) or _INSTRUCTS.search(bare):
        return False
    return weighty(bare) and _SYMPTOM.search(bare) is not None


def _cure(answer: Message) -> str:
    """What the agent said it had found or changed."""
    told = [
        s
        for s in sentences(without_code(answer.content))
        if len(s.encode()) >= 30
        and len(s) <= 360
        and not _WEAK.match(s)
        and s[0] not in "#|`>*"
        and s[-1] not in "?？:："
        and stands_alone(s)
    ]
    return one_line(next((s for s in told[:_FIRST_TOLD] if _CURE.search(s) and is_told(s)), ""))
