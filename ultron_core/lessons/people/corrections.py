"""Corrections: what a person objected to, in their own words, what the agent had done, and what is to be done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import EDIT, path_of
from ultron_core.lessons.explanations import clip
from ultron_core.lessons.people.statements import without_opening
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, without_code
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.failures import clean_line
from ultron_core.transcript.language import CJK, Lang, language, one_line, sentences
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

#: openings of an answer that say nothing of what was done, e.g. `Sure, let me look`
_WEAK = re.compile(
    r"^(?:yes|ok|good|great|sure|now|let me|i'll|done|fixed|you're right|all (?:tests|checks)|sorry|got it|here|"
    r"好的|是的|没问题|抱歉|我将|让我|现在|已?完成)",
    re.IGNORECASE,
)
#: says what is right, or what is not wanted: "should be, fs watcher, then the agent", "we don't want a debug file"
_RIGHT = any_of(
    r"\b(?:should(?:n't)?|must(?:n't)?|needs? to|ha(?:s|ve) to|supposed to|instead|rather|belongs?|only|just use)\b",
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
    r"\bwe (?:don't|do not|never|only) (?:want|need|use|do|test|support)\b|\bshould (?:not |only )?(?:be|appear|"
    r"go|live|come|stay|start)\b|"
    r"\bshouldn't\b|\b(?:does|do|is|are) NOT\b|\bjust use\b|\b(?:this|that|it)(?:'s| is) (?:backwards|wrong|"
    r"a hallucination)\b",
    r"不应该|不想要|不要再|应该是|应该用",
)
_HALF = 0.27
#: says that it fails, not what is right, e.g. `it still crashes`, `还是不行`
_BROKEN = any_of(
    r"\bstill\b|\b(?:not|doesn't|didn't|isn't|won't) (?:\w+ )?(?:work|fix|help|show|run|compile|load)\w*\b|"
    r"\b(?:broken|crash\w*|fails?)\b",
    r"还是|依然|仍然|没有变化|不行|报错",
)
#: a cure is told at the beginning of an answer; notes on other things come later
_FIRST_TOLD = 5
#: asks for the cause in the middle of a sentence, without a question mark: "这是为什么啊"
_WHY = re.compile(r"为什么|怎么回事|什么原因|^why\b", re.IGNORECASE)
#: somebody's own booking: what is put right there teaches nobody else anything, e.g. `my reservation`, `我的订单`
_OWN = any_of(
    r"\bmy (?:\w+ )?(?:flight|reservation|order|booking|refund|seat|ticket|account|card|payment|trip|membership|"
    r"bag)s?\b",
    r"我的(?:航班|订单|预订|座位|机票|账户|行程)",
)
#: e.g. `don't`, `src/app.py`, `端`
_WORD = re.compile(r"[A-Za-z][\w'./-]*|[\u3400-\u9fff]")
#: less than this many words of substance is a bare "no, still broken"
_MIN_WORDS = {"en": 5, "zh": 8}
_MAX_STATEMENT = 420
#: what an answer says of a cause or a cure, e.g. `The hidden input was still linked to the label because`
_CURE = any_of(
    r"\b(?:because|so that|which (?:meant|caused)|root cause|the fix|fixed by|turn(?:s|ed) out|"
    r"was (?:still )?\w+ing)\b",
    r"\b(?:now|no longer) \w+s?\b|\b(?:removed|replaced|moved|renamed|switched|changed|added|restored|reverted)\b",
    r"因为|由于|原因|根因|问题(?:在于|出在)|已(?:经)?(?:改|将|把|移除|删除|修复|调整|替换)|改为|改成",
)
#: cues of a bug report, which teaches only together with its cure
_CONFIDENCE_CUE, _CONFIDENCE_READ = 0.75, 0.7


def find_corrections(
    messages: Sequence[Message], actions: Sequence[Action], turns: Sequence[Turn], project: str, work: bool
) -> list[MemoryDraft]:
    """One draft a turn that objects and teaches something, or whose complaint was cured in what followed."""
    drafts = []
    for turn in turns:
        own = own_sentences(turn.message)
        chosen, cue, then = (_correcting(own) if turn.before >= 0 else []), True, ""
        if not chosen and work and not turn.first:
            chosen, cue = _teaching(own, turn.acts.probabilities["objection"], turn.does("objection")), False
            if not chosen:
                chosen, then = _complaint(messages, turn, own)
        if chosen and not _OWN.search(" ".join(chosen)):
            drafts.append(_draft(messages, actions, turn, chosen, then, project, cue))
    return drafts


def _correcting(own: Sequence[str]) -> list[str]:
    """The first sentence that puts something right by its words, an objection and its next sentence together."""
    for sentence, follow in zip(own, [*own, ""][1:], strict=False):
        if CORRECTION.search(sentence) and not _is_other(sentence):
            return [sentence]
        if OBJECTION.match(sentence) and RIGHT_THING.search(follow) and not _is_other(follow):
            return [sentence, follow]
    return []


def _is_other(sentence: str) -> bool:
    return bool(QUESTION.search(sentence) or ONE_OFF.search(sentence))


def _teaching(own: Sequence[str], objecting: float, objected: bool) -> list[str]:
    """The sentences that say what is right, with the ones around them that belong to it.

    A turn that is only half an objection (its first sentence opens a segment, or it orders something too) counts when
    a sentence says in so many words that something is not wanted or not so.
    """
    if not objected and objecting < _HALF:
        return []
    shapes = (_RIGHT, _UNTRUE) if objected else (_PLAIN,)
    if any(PREFERENCE.search(sentence) for sentence in own):
        return []
    for telling in own:
        if (
            _WHY.search(telling)
            or (_BROKEN.search(telling) and not _RIGHT.search(telling))
            or not _weighty(telling)
        ):
            continue
        if any(shape.search(telling) for shape in shapes) and (
            _RIGHT.search(telling) or not QUESTION.search(telling)
        ):
            return _with_neighbours(own, telling)
    return []


def _complaint(messages: Sequence[Message], turn: Turn, own: Sequence[str]) -> tuple[list[str], str]:
    """What a person complained of, with the cure of the next answer when they let it stand; or nothing."""
    if turn.before < 0 or turn.answer < 0 or turn.objected or not turn.does("objection"):
        return [], ""
    telling = [s for s in own if _weighty(s) and not QUESTION.search(s) and not _WHY.search(s)]
    then = _cure(messages[turn.answer]) if telling else ""
    return (_with_neighbours(own, telling[0]), then) if then else ([], "")


def _weighty(sentence: str) -> bool:
    if ONE_OFF.search(sentence):
        return False
    return len(_WORD.findall(sentence)) >= _MIN_WORDS["zh" if CJK.search(sentence) else "en"]


def _with_neighbours(own: Sequence[str], telling: str) -> list[str]:
    """The telling sentence, then the neighbours that say more about it, as long as the whole stays short."""
    at = list(own).index(telling)
    chosen = {at}
    for near in (at + 1, at - 1, at + 2):
        fits = 0 <= near < len(own) and sum(len(own[i]) for i in chosen) + len(own[near]) <= _MAX_STATEMENT
        if fits and (_RIGHT.search(own[near]) or _UNTRUE.search(own[near]) or near == at - 1):
            chosen.add(near)
    return [own[i] for i in sorted(chosen)]


def _cure(answer: Message) -> str:
    """What the agent said it had found or changed, when the next turn let it stand."""
    told = [
        s
        for s in sentences(without_code(answer.content))
        if len(s.encode()) >= 30
        and len(s) <= 360
        and not _WEAK.match(s)
        and s[0] not in "#|`>*"
        and s[-1] not in "?？:："
    ]
    return one_line(next((s for s in told[:_FIRST_TOLD] if _CURE.search(s)), ""))


def _draft(
    messages: Sequence[Message],
    actions: Sequence[Action],
    turn: Turn,
    chosen: Sequence[str],
    then: str,
    project: str,
    cue: bool,
) -> MemoryDraft:
    statement = without_opening(one_line(" ".join(chosen)))
    lang = language(statement)
    words = PHRASES[lang]
    content = words["correction_in" if project else "correction"].format(project=project, statement=statement)
    right = [s for s in chosen if _RIGHT.search(s) or CORRECTION.search(s) or RIGHT_THING.search(s)]
    resolution = (
        words["then_did"].format(statement=then)
        if then
        else without_opening(one_line(" ".join(right or chosen)))
    )
    evidence = [Evidence(turn.message.start_line, turn.message.end_line, chosen[0][:400].strip())]
    if then:
        answer = messages[turn.answer]
        quote = next((s for s in sentences(answer.content) if one_line(s) == then), "")
        if quote:
            evidence.append(Evidence(answer.start_line, answer.end_line, quote[:400].strip()))
    return MemoryDraft(
        content=content,
        context=_context(messages, actions, turn, lang),
        resolution=resolution,
        tags=("correction",),
        confidence=_CONFIDENCE_CUE if cue else _CONFIDENCE_READ,
        memory_type="correction",
        evidence=tuple(evidence),
    )


def _context(messages: Sequence[Message], actions: Sequence[Action], turn: Turn, lang: Lang) -> str:
    """What the agent had said, and the files and the command of its last steps before the turn."""
    words = PHRASES[lang]
    told = [
        s
        for s in sentences(without_code(messages[turn.before].content if turn.before >= 0 else ""))
        if len(s) >= 30 and not _WEAK.match(s) and s[-1] not in "?？:：" and s[0] not in "-*#|`>"
    ]
    parts = [words["instead_of"].format(statement=clip(told[0], 200))] if told else []
    recent = [a for a in actions if a.result < turn.position][-12:]
    paths = [path_of(a.arguments) for a in recent if EDIT.search(a.tool)]
    files = list(dict.fromkeys(path.rsplit("/", 1)[-1] for path in paths if path))[-3:]
    if files:
        parts.append(words["had_edited"].format(files=", ".join(f"`{name}`" for name in files)))
    else:
        command = next((c for a in reversed(recent) if (c := command_of(a))), "")
        if command:
            parts.append(words["had_run"].format(command=f"`{clean_line(command, 100)}`"))
    return " ".join(parts)
