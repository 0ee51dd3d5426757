"""Corrections: what a person objected to, in their own words, what the agent had done, and what is to be done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import EDIT, path_of
from ultron_core.lessons.explanations import clip
from ultron_core.lessons.findings.said import statements
from ultron_core.lessons.findings.shape import setting_of, stands_alone
from ultron_core.lessons.findings.worth import worth
from ultron_core.lessons.people.complaints import ASKS_WHY, WEAK, Complaint, find_complaint
from ultron_core.lessons.people.statements import (
    names_a_thing,
    nearest,
    phrase,
    shares_term,
    weighty,
    without_opening,
)
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, without_code
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.language import language, one_line, sentences
from ultron_core.transcript.results.failures import clean_line
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
#: characters of a sentence that only goes on from the one before it
_SHORT = 40
#: a statement of the agent's answer that is worth less says nothing of what was done (docs/people.md)
_WORTH = 0.5
#: e.g. `是的,所以请你修改,而不是自己随便干`
_AGREES = re.compile(r"^(?:yes|yeah|right|ok(?:ay)?)\b|^(?:是的|对的|好的)", re.IGNORECASE)
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
        own = own_sentences(turn.message)
        if turn.before < 0 and sum(map(len, own)) > _MAX_OPENING:
            continue
        chosen, confidence = (_correcting(own) if turn.before >= 0 else []), _CONFIDENCE_CUE
        if not chosen and work and not turn.first:
            chosen, confidence = _teaching(own, turn), _CONFIDENCE_READ
        if chosen:
            drafts.append(_correction(messages, actions, turn, chosen, project, confidence))
        elif work and (complaint := find_complaint(messages, turns, at)):
            drafts.append(_complained(messages, actions, complaint, project))
    return [draft for draft in drafts if not _OWN.search(draft.content)]


def _correcting(own: Sequence[str]) -> list[str]:
    """The first sentence that puts something right by its words, an objection and its next sentence together."""
    for sentence, follow in zip(own, [*own, ""][1:], strict=False):
        if CORRECTION.search(sentence) and not _is_other(sentence) and _says_what(sentence):
            return _with_neighbours(own, sentence)
        if OBJECTION.match(sentence) and RIGHT_THING.search(follow) and not _is_other(follow):
            return [sentence, follow]
    return []


def _says_what(sentence: str) -> bool:
    """What agrees and only hurries says it when it names a thing."""
    return names_a_thing(sentence) or _AGREES.match(sentence) is None


def _is_other(sentence: str) -> bool:
    return bool(QUESTION.search(sentence) or ONE_OFF.search(sentence))


def _teaching(own: Sequence[str], turn: Turn) -> list[str]:
    """The sentences that say what is right, with the ones around them that belong to it.

    A turn that is only half an objection (its first sentence opens a segment, or it orders something too) counts when
    a sentence says in so many words that something is not wanted or not so.
    """
    objected = turn.does("objection")
    if not objected and turn.acts.probabilities["objection"] < _HALF:
        return []
    shapes = (_RIGHT, _UNTRUE) if objected else (_PLAIN,)
    if any(PREFERENCE.search(sentence) for sentence in own):
        return []
    for telling in own:
        if (
            ASKS_WHY.search(telling)
            or (_BROKEN.search(telling) and not _RIGHT.search(telling))
            or _WONDERS.search(telling)
            or not (weighty(telling) and _says_what(telling))
            or (_TOLD.search(telling) and not _RIGHT.search(telling))
        ):
            continue
        if any(shape.search(telling) for shape in shapes) and (
            _RIGHT.search(telling) or not QUESTION.search(telling)
        ):
            return _with_neighbours(own, telling)
    return []


def _with_neighbours(own: Sequence[str], telling: str) -> list[str]:
    """The telling sentence, then the neighbours that say more about it, as long as the whole stays short."""
    at = list(own).index(telling)
    chosen = {at}
    for near in (at + 1, at - 1, at + 2, at - 2):
        fits = 0 <= near < len(own) and sum(len(own[i]) for i in chosen) + len(own[near]) <= _MAX_STATEMENT
        if fits and (
            _RIGHT.search(own[near])
            or _UNTRUE.search(own[near])
            or near == at - 1
            or _is_begun(own, near, at)
        ):
            chosen.add(near)
    return [own[i] for i in sorted(chosen)]


def _is_begun(own: Sequence[str], near: int, at: int) -> bool:
    """True for the sentence that a short one goes on from: "You are to ask me!" before "Not make decisions."."""
    return near == at - 2 and len(own[at - 1]) <= _SHORT


def _correction(
    messages: Sequence[Message],
    actions: Sequence[Action],
    turn: Turn,
    chosen: Sequence[str],
    project: str,
    confidence: float,
) -> MemoryDraft:
    told = " ".join(chosen)
    evidence = [Evidence(turn.message.start_line, turn.message.end_line, chosen[0][:400].strip())]
    done, quote = _afterwards(messages, turn, told)
    if done:
        answer = messages[turn.answer]
        evidence.append(Evidence(answer.start_line, answer.end_line, quote[:400].strip()))
    return MemoryDraft(
        content=_content(told, project),
        context=_context(messages, actions, turn, told),
        resolution=PHRASES[language(told)]["then_did"].format(statement=done) if done else "",
        tags=("correction",),
        confidence=confidence,
        memory_type="correction",
        evidence=tuple(evidence),
    )


def _afterwards(messages: Sequence[Message], turn: Turn, told: str) -> tuple[str, str]:
    """What the agent said it did about it, when the person let that stand and it speaks of the same things; and the
    quote."""
    if turn.answer < 0 or turn.objected or messages[turn.answer].tool_calls:
        return "", ""
    content = messages[turn.answer].content
    quotes = {
        one.text: one.quote
        for one in statements(content)
        if stands_alone(one.text)
        and shares_term(one.text, told)
        and worth(one.text, setting_of(one, content)) >= _WORTH
    }
    best = nearest(list(quotes), told)
    return best, quotes.get(best, "")


def _complained(
    messages: Sequence[Message], actions: Sequence[Action], complaint: Complaint, project: str
) -> MemoryDraft:
    source, told, words = complaint.turn.message, complaint.told, PHRASES[language(complaint.told)]
    evidence = [Evidence(source.start_line, source.end_line, told[:400].strip())]
    resolution = words["then_did"].format(statement=complaint.cure) if complaint.cure else words["no_cure"]
    if complaint.cure:
        answer = messages[complaint.turn.answer]
        quote = next((s for s in sentences(answer.content) if one_line(s) == complaint.cure), "")
        evidence += [Evidence(answer.start_line, answer.end_line, quote[:400].strip())] if quote else []
    return MemoryDraft(
        content=_content(told, project),
        context=_context(messages, actions, complaint.turn, told),
        resolution=resolution,
        tags=("correction",),
        confidence=_CONFIDENCE_READ,
        memory_type="correction",
        evidence=tuple(evidence),
    )


def _content(text: str, project: str) -> str:
    statement = without_opening(one_line(text))
    return phrase("correction", statement, project, statement=statement)


def _context(messages: Sequence[Message], actions: Sequence[Action], turn: Turn, objection: str) -> str:
    """What the agent had said that the objection is about, and the files and the command of its last steps."""
    words = PHRASES[language(objection)]
    told = _disputed(messages[turn.before].content if turn.before >= 0 else "", objection)
    parts = [words["instead_of"].format(statement=clip(told, 200))] if told else []
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


def _disputed(answer: str, objection: str) -> str:
    """The sentence that shares most words with the objection, else the first that says something."""
    told = [
        s
        for s in sentences(without_code(answer))
        if len(s) >= 30 and not WEAK.match(s) and s[-1] not in "?？:：" and s[0] not in "-*#|`>"
    ]
    return nearest(told, objection)
