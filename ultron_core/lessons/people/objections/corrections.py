"""Corrections: what a person objected to, in their own words, what the agent had done, and what is to be done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.findings.shape import points_elsewhere
from ultron_core.lessons.people.objections.answers import answered, disputed_context
from ultron_core.lessons.people.objections.complaints import ASKS_WHY, complaint_draft, find_complaint
from ultron_core.lessons.people.objections.drafts import objection_draft
from ultron_core.lessons.people.objections.stops import find_stop
from ultron_core.lessons.people.statements import (
    has_detail,
    names_a_thing,
    shares_term,
    weighty,
)
from ultron_core.lessons.people.turns import Turn, asked, own_remarks
from ultron_core.models import MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.speech import (
    CORRECTION,
    OBJECTION,
    ONE_OFF,
    PREFERENCE,
    QUESTION,
    RIGHT_THING,
    any_of,
)

__all__ = ["find_corrections"]

#: says what is right, or what is not wanted: "should be, fs watcher, then the agent", "we don't want a debug file"
_RIGHT = any_of(
    r"\b(?:should(?:n't)?|must(?:n't)?|needs? to|ha(?:s|ve) to|supposed to|instead|rather|belongs?|only|just use|"
    r"just not)\b",
    r"\b(?:don't|do not|doesn't|didn't|not) (?:want|need|belong|like|use|add|put|change|touch|make|do|go|"
    r"work this)\b",
    r"^(?:please |just |so )?(?:use|put|keep|call|move|rename|remove|drop|revert|leave|make|add|read|check|stop)\b",
    r"\b(?:the (?:whole )?point (?:of|is)|like (?:we|the other|everywhere)|same as|too (?:broad|much|many|big|"
    r"long|low|high))\b",
    r"应该|不要|别再|别[用改加写]|不需要|不用|而是|必须|参考|改成|改为|换成|保持|统一|只[要需]|就是要|想要保留",
)
#: puts a claim of the agent right: "EvalSymlinks does NOT cause that", "v1.0.2 isn't our minimum version"
_UNTRUE = any_of(
    r"\b(?:is|are|was|were|do|does|did|has|have)(?:n't| not)\b",
    r"\b(?:hallucinat\w+|wrong|incorrect|untrue|backwards|misleading|no longer)\b",
    r"不是|并非|理解错|弄错",
)
#: says so without any doubt: "we don't want the replace directive", "the order should be, first a, then b"
_PLAIN = any_of(
    # "it does NOT belong there", "the shell CAN change its folder"
    r"(?-i:\b(?:does|do|is|are|must) NOT\b|\b(?:CAN|DOES|IS|ARE|WAS|MUST|NEVER|ALWAYS) [a-z])",
    r"\bwe (?:don't|do not|never|only) (?:want|need|use|do|test|support)\b|\bshould (?:not |only )?(?:be|appear|"
    r"go|live|come|stay|start)\b|"
    r"\bshouldn't\b|\bjust use\b|\b(?:this|that|it)(?:'s| is) (?:backwards|wrong|"
    r"a hallucination)\b",
    # "these are meant to be candidates for one challenge", "stats should have the ID, not the name"
    r"\b(?:meant|supposed) to be\b|\bno (?:desire|need|reason) to\b|\bshould \w+ [^.?!]{1,60}, not\b|"
    r"\brather than [^.?!]{3,80},? (?:let'?s|we|just|use|do)\b",
    r"不应该|不想要|不要再|应该是|应该用|(?:是)?(?:只|都)需要|我只(?:需要|想)|不是我(?:想|要)|需要(?:参考|照顾|考虑)",
)
#: asks where something belongs and does not say it, e.g. `propose where each of these files should go`
_WONDERS = re.compile(r"\b(?:where|how|what|which|whether)\b[^.?!]{0,60}\bshould\b", re.IGNORECASE)
#: probability of an objection from which on plain words decide (set by hand: docs/memories.md)
_HALF = 0.27
#: tells what somebody saw or did, e.g. `I did not see an update`, in answer to a question of the agent
_TOLD = re.compile(
    r"^(?:no,? |yes,? )?i (?:did|do|have|had|was|am|saw|ran|tried|don't|didn't|haven't)\b", re.IGNORECASE
)
#: says that it fails, not what is right, e.g. `it still crashes`, `还是不行`
_BROKEN = any_of(
    r"\bstill\b|\b(?:not|doesn't|didn't|isn't|won't) (?:\w+ )?(?:work|fix|help|show|run|compile|load)\w*\b|"
    r"\b(?:broken|crash\w*|fails?)\b",
    r"还是|依然|仍然|没有变化|不行|报错",
)
#: somebody's own booking: what is put right there teaches nobody else anything, e.g. `my reservation`, `我的订单`
_OWN = any_of(
    r"\bmy (?:\w+ )?(?:flight|reservation|order|booking|refund|seat|ticket|account|card|payment|trip|membership|"
    r"bag)s?\b",
    r"我的(?:航班|订单|预订|座位|机票|账户|行程)",
)
#: says what is right and what is not in one sentence, which no order does: "stats should have the ID, not the name",
#: "不要使用 querySelector 而是使用 vitest 的 api", "我们不再需要这个 import"
_PUT_RIGHT = any_of(
    r"\bshould (?:have|be|use|return|show|say|hold|go|live)\b[^.?!]{1,60},? (?:and )?not\b",
    r"\b(?:isn't|is not|is never) (?:true|so|the case)\b",
    r"(?:不要|别|不是|不用)(?:再)?(?:使?用|写|加|改|放|做)?.{1,60}(?:而是|要?改用|换成)|我们?不[再在](?:需要|使?用|要)",
)
#: holds a fact against the agent's account and asks why all the same: "both are started with `make run`, so why do the
#: logs differ?", "两个都是用 make run 启动的呀，为什么日志不同？"
_INSISTS = any_of(
    r"^(?:no, |but )*(?:both|all|they|it|the \w+|i|we)\b.{0,30}\b(?:are|is|was|were|already|did|use[ds]?|have|has)\b"
    r".{8,160}[,;.–—-]\s?(?:so |then )?(?:why|how come)\b.{4,}\?",
    r"^.{0,40}(?:都是|已经|明明|本来就|一直是|就是).{4,80}[的了](?:呀|啊|吧|呢)?[，,。]\s?(?:那)?(?:为什么|为何|怎么).{2,}",
)
#: points at one of two things said before, e.g. `if the latter, then`, `the first one`
_LATTER = re.compile(r"\b(?:the (?:latter|former)|the (?:first|second|other) one)\b", re.IGNORECASE)
#: characters of a sentence that only goes on from the one before it
_SHORT = 40
#: e.g. `是的,所以请你修改,而不是自己随便干`
_AGREES = re.compile(r"^(?:yes|yeah|right|ok(?:ay)?)\b|^(?:是的|对的|好的)", re.IGNORECASE)
#: says where the trouble is not, or that something was not read, and not what is right: "这并不是问题，我的问题在
#: X 中", "you need to read the session in full"
_ELSEWHERE = any_of(
    r"\b(?:that|this)(?:'s| is) not (?:the|my) (?:problem|issue|question)\b|"
    r"\byou (?:need|have) to (?:read|look|check|think|understand)\b",
    r"(?:并?不是)(?:这个|这里)?(?:的)?问题",
)
#: goes on from an earlier turn, e.g. `same for queued messages?`, `and that one too`
_GOES_ON = re.compile(
    r"^(?:same (?:for|here|with|thing|goes)|and (?:that|this)\b|instead\b|这个也|同样)", re.IGNORECASE
)
#: a place in a document that moves with the next edit, e.g. `the table on 47`, `line 28`
_AT_A_LINE = re.compile(
    r"\b(?:on|at|in) (?:lines? )?\d{1,4}\b|\blines? \d|第\s{0,4}\d{1,4}\s{0,4}行", re.IGNORECASE
)
#: a question that only asks for assent: "only for the library, yeah?", "we do this in interactive mode no?"
_TAG = re.compile(
    r"[\s,，](?:no|yeah|yes|right|ok|correct|isn't it|don't we)\s*\?+$|(?:吧|对吧|好吗)[?？]?$",
    re.IGNORECASE,
)
#: an opinion put as a question: "i would think that we have a selector that takes a function?"
_OPINION = re.compile(r"^(?:and |but )?i(?:'d| would) (?:think|assume|expect|say)\b", re.IGNORECASE)
#: the next turn takes back what this one wanted, e.g. `actually, can you revert that?`, `还是改回去吧`
_WITHDRAWN = re.compile(
    r"^\W*actually,? (?:\w+ ){0,3}(?:revert|undo|never mind)\b|^\W*never ?mind\b|^.{0,6}(?:改回去|算了)",
    re.IGNORECASE,
)
#: characters of a correction with its neighbours: what still reads as one statement
_MAX_STATEMENT = 420
#: a long text at the beginning of a segment hands in a task, whatever it says is wrong
_MAX_OPENING = 500
#: cues of a bug report, which teaches only together with its cure
_CONFIDENCE_CUE, _CONFIDENCE_READ = 0.75, 0.7


def find_corrections(
    messages: Sequence[Message], actions: Sequence[Action], turns: Sequence[Turn], project: str, work: bool
) -> list[MemoryDraft]:
    """One draft per turn that objects and teaches something, or that complains about what the agent delivered."""
    drafts = []
    for at, turn in enumerate(turns):
        remarks = own_remarks(turn.message)
        if at + 1 < len(turns) and _WITHDRAWN.search(turns[at + 1].message.content[:_MAX_OPENING]):
            continue
        if turn.before < 0 and sum(len(s) for remark in remarks for s in remark) > _MAX_OPENING:
            continue
        chosen, confidence = (_correcting(remarks) if turn.before >= 0 else []), _CONFIDENCE_CUE
        if not chosen and work and not turn.first:
            chosen, confidence = _teaching(remarks, turn), _CONFIDENCE_READ
        if chosen:
            told = " ".join(chosen)
            context = disputed_context(messages, actions, turn, told) or (asked(turns[at - 1]) if at else "")
            resolution, quote = answered(messages, turns, turn, told)
            drafts.append(
                objection_draft(
                    messages,
                    turn,
                    chosen,
                    key="correction",
                    memory_type="correction",
                    tag="correction",
                    confidence=confidence,
                    context=context,
                    resolution=resolution,
                    quote=quote,
                    project=project,
                )
            )
        elif stop := find_stop(messages, actions, turns, at, project):
            drafts.append(stop)
        elif work and (complaint := find_complaint(messages, turns, at)):
            context = disputed_context(messages, actions, complaint.turn, complaint.told)
            if not complaint.cure and complaint.turn is not turns[0]:
                context = f"{asked(turns[0])} {context}".strip()
            if not (complaint.cure or context):
                continue  # what it is about stands in no word of the segment
            drafts.append(complaint_draft(complaint, messages, context, project))
    return [draft for draft in drafts if not _OWN.search(draft.content)]


def _correcting(remarks: Sequence[Sequence[str]]) -> list[str]:
    """The first sentence that puts something right by its words, an objection and its next sentence together."""
    own = [sentence for remark in remarks for sentence in remark]
    for sentence, follow in zip(own, [*own, ""][1:], strict=False):
        if CORRECTION.search(sentence) and not _is_other(sentence) and _says_what(sentence):
            return _in_its_remark(remarks, sentence)
        if OBJECTION.match(sentence) and RIGHT_THING.search(follow) and not _is_other(follow):
            return [sentence, follow]
    return []


def _says_what(sentence: str) -> bool:
    """What agrees and only hurries says it when it names a thing; a place in a document alone names none."""
    if _AT_A_LINE.search(sentence) and not has_detail(sentence):
        return False
    return names_a_thing(sentence) or _AGREES.match(sentence) is None


def _is_other(sentence: str) -> bool:
    return bool(_asks(sentence) or ONE_OFF.search(sentence))


def _asks(sentence: str) -> bool:
    return bool(QUESTION.search(sentence)) and not (_TAG.search(sentence) or _OPINION.search(sentence))


def _teaching(remarks: Sequence[Sequence[str]], turn: Turn) -> list[str]:
    """The sentences that say what is right, with the ones around them that belong to it.

    A turn that is only half an objection (its first sentence opens a segment, or it orders something too) counts when
    a sentence says in so many words that something is not wanted or not so; any other, when one sentence says both
    what is right and what is not.
    """
    objected = turn.does("objection") or turn.stopped
    half = turn.acts.probabilities["objection"] >= _HALF
    own = [sentence for remark in remarks for sentence in remark]
    if any(PREFERENCE.search(sentence) for sentence in own):
        return []
    for telling in own:
        shapes = (_RIGHT, _UNTRUE) if objected else (_PLAIN,) if half else ()
        if any(shape.search(telling) for shape in (*shapes, _PUT_RIGHT)) and _is_telling(telling):
            return _in_its_remark(remarks, telling)
        if (objected or half) and _INSISTS.search(telling) and weighty(telling) and names_a_thing(telling):
            return [telling]
    return []


def _is_telling(sentence: str) -> bool:
    """Says what is right: asks nothing, wonders nothing, and does not only say that it fails or where it does not."""
    if (
        _asks(sentence)
        or ASKS_WHY.search(sentence)
        or _WONDERS.search(sentence)
        or _ELSEWHERE.search(sentence)
    ):
        return False
    if (_BROKEN.search(sentence) or _TOLD.search(sentence)) and not _RIGHT.search(sentence):
        return False
    return weighty(sentence) and _says_what(sentence)


def _in_its_remark(remarks: Sequence[Sequence[str]], telling: str) -> list[str]:
    """The telling sentence with those of its remark around it that say more about it, as long as the whole stays
    short; empty when it goes on from another turn, or is about a place in a document."""
    at = next(i for i, remark in enumerate(remarks) if telling in remark)
    own = list(remarks[at])
    first = last = own.index(telling)
    for reach in (1, 2):
        near = first - 1
        if near < 0 or _length(own[near : last + 1]) > _MAX_STATEMENT:
            break
        begun = reach == 1 or len(own[first]) <= _SHORT
        if _LATTER.search(own[first]) or (begun and not _asks(own[near])):
            first = near
    if at + 1 < len(remarks) and _adds(own, remarks[at + 1][0]):
        own.append(remarks[at + 1][0])
    while (
        last + 1 < len(own)
        and _length(own[first : last + 2]) <= _MAX_STATEMENT
        and _puts_right(own[last + 1])
    ):
        last += 1
    chosen = own[first : last + 1]
    return chosen if _says_what(" ".join(chosen)) and not _GOES_ON.match(chosen[0]) else []


def _puts_right(sentence: str) -> bool:
    return bool(_RIGHT.search(sentence) or _UNTRUE.search(sentence)) and not _asks(sentence)


def _adds(own: Sequence[str], following: str) -> bool:
    """True for a new paragraph that goes on about the same thing without pointing at anything."""
    return (
        not points_elsewhere(following) and shares_term(following, " ".join(own)) and "also" not in following
    )


def _length(parts: Sequence[str]) -> int:
    return sum(map(len, parts))
