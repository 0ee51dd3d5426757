"""Lessons from what a person says plainly: sentences that the fitted model would keep and that no other rule tells.

A wish, a decision or a fact needs no cue word ("no test scripts", "leave it, we don't need pages"): the model reads
each sentence with its turn. Those that stand together and are likely enough make one memory: a plan told in five
points says little point by point. What the other rules made of a sentence that only passes with the work ("never mind,
I'll do it", praise, an order to wait) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ultron_core.lessons.errors.told.reports import is_described, is_issue
from ultron_core.lessons.explanations import clip
from ultron_core.lessons.keeping.stated import BY_PERSON, confidence_in
from ultron_core.lessons.people.objections.complaints import told_in
from ultron_core.lessons.people.plain.features import Said
from ultron_core.lessons.people.plain.reader import Kind, PlainModel, Worth, judge
from ultron_core.lessons.people.plain.shape import is_passing, may_hold, only_asks
from ultron_core.lessons.people.statements import (
    has_detail,
    names_a_thing,
    nearest,
    shares_term,
    statement_draft,
    without_opening,
    word_count,
)
from ultron_core.lessons.people.turns import MAX_MESSAGE, Turn, own_sentences
from ultron_core.lessons.people.turns import asked as asked_before
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, MemoryType, Message
from ultron_core.transcript.language import CJK, language, one_line
from ultron_core.transcript.pasted import is_printed
from ultron_core.transcript.speech import HEDGE, any_of

__all__ = ["Told", "hear", "plain_drafts", "refused"]

#: characters; a turn longer than a message is an order of several pages, and from here on a document
_MAX_ORDER = 6000
#: how a program instructs a model, several times in a long text, e.g. `You should always wait for feedback`; what the
#: agent did is a complaint: "You forgot the importer"
_INSTRUCTS = re.compile(
    r"^(?:you(?:['’](?:re|ll)| (?:are|can|may|should|will|have to|must))|your)\b", re.IGNORECASE
)
#: sentences; with more of these a text is a prompt
_MOST_INSTRUCTIONS = 2
#: drafts of one turn, and of an order of several pages; sentences and characters of one draft
_MOST, _MOST_OF_PAGES, _MOST_TOGETHER, _MAX_TOGETHER = 3, 5, 5, 500
#: hands in what follows, e.g. `What do you think of this feedback?`, `报错如下：`
_LEADS_IN = any_of(
    r"[:：]\W*$|\b(?:this|these|one|following|below|comments?|feedback|output|logs?|errors?)\b[^.!]{0,40}\?\W*$",
    r"(?:以下|下面|如下|这个|这段|这些)[^。！]{0,20}[?？吗]?\W*$",
)
#: asks what the agent makes of it, e.g. `What do you think of these changes?`
_ASKS_ABOUT = re.compile(r"[?？]\W*$")
#: what is handed in was said by a program or somebody else, e.g. `I get these logs:`, `My boss told me:`,
#: `Here is the README.md of the library:`, `Here are the notes from the customer:`, `输出：`, `这是客户的邮件：`; not
#: the person's own "I told you:", "here are the conventions:" and "two issues:"
_OF_OTHERS = any_of(
    r"\b(?:errors?|logs?|outputs?|results?|traces?|tracebacks?|console|terminal|messages?|prints?|says|said|"
    r"r[au]n|running|get|getting|gives|shows|feedback|comments?|reviews?|responses?|answered|wrote|readme|e-?mails?|"
    r"mails?|articles?|posts?(?! ?[-/])|docs?|documentation|specs?|issue|tickets?|told(?! you\b)|"
    r"here(?:['’]s| is| are)(?! (?:my|our|what|how)\b)[^.!:]{1,40} (?:of the|from))\b"
    r"(?:[^.!]|\.(?=\w)){0,40}[:：]\W*$",
    r"(?:报错|错误|日志|输出|结果|提示|显示|反馈|评论|执行|运行|返回|邮件|文档|文章|说明|告诉我)[^。！]{0,12}[:：]\W*$",
)
#: what a person lays down, whatever it is about, e.g. `The rules for error messages:`, `The docs must follow this:`,
#: `提示的规则：`, `文档的格式：`; not what came of it, "I get this after the changes:", nor what somebody else lays
#: down: "My boss told me the requirements:", "Review feedback on the changes:"
_LAYS_DOWN = any_of(
    r"^(?!.*\b(?:after|since|despite|but)\b)"
    r"(?:(?!\b(?<!\bi )(?<!\bwe )(?:told(?! you\b)|wrote|says?|said|shows)\b|\b(?:i|we) (?:get|got)\b|"
    r"\b(?:feedback|comments?|reviews?)\b(?! (?:must|should)\b)).)*?"
    r"\b(?:rules?|changes|requirements|must|should)\b",
    r"^\W*(?:always|never)\b",
    r"^(?!.*但)(?:(?!告诉我|(?<!我)说(?!明)|反馈|评论).)*?(?:规则|格式|改动(?!之?后|以后)|要求|必须|应该)",
)
#: opens an order to the agent, which is no issue that somebody handed in, e.g. `Please create a Flask app`, `请基于`
_ORDERS = any_of(r"^\W*(?:please\b(?! note\b)|i (?:want|need)\b(?! to (?:report|file)\b))", r"^\W*请(?!注意)")
#: announces what it wants, e.g. `The dialog must say the following:`, `内容如下`
_HANDS_OVER = any_of(r"[:：][\s*_\"'”]*$|\b(?:as follows|the following)\W*$", r"(?:如下|以下)\W*$")
#: sentences behind it that go along
_MOST_HANDED = 3
#: stands for what was said before, e.g. `leave it`, `这个不要`
_POINTS = any_of(
    r"\b(?:it|this|that|these|those|them|one|ones|there|here|same|both|latter|former)\b",
    r"这|那|它|此|上面|下面|两个",
)
#: begins with what only the words before name, e.g. `It must stay there`, `这个要保留`
_BEGINS_POINTING = any_of(
    r"^(?:this|these|those|that|it|they|such|the (?:latter|former))\b", r"^(?:这(?!里|边)|那(?!就|么)|它|此)"
)
#: takes what the agent had offered by its number, e.g. `option 2`, `方案B`: without the offer it says nothing
_PICKS = any_of(
    r"\b(?:option|strategy|approach|plan|solution|choice|step|phase)s?\s+[\dA-D]\b",
    r"(?:方案|策略|选项|步骤|阶段|第)\s?[一二三四五\dA-D]",
)
#: words, in Chinese characters; a shorter sentence says nothing by itself, up to the second it may lean on another
_SAYS, _LEANS = {"en": 3, "zh": 5}, {"en": 12, "zh": 18}
#: characters of the agent's sentence that a person's words lean on
_MIN_BEFORE, _MAX_BEFORE = 25, 220
#: how a kind is told, and its type. A decision is called one where the model is sure of it, and a correction is what a
#: person told: as corrections, two in five of the model's own picks were right, repository left out
_TYPES: Final[dict[Kind, tuple[str, MemoryType]]] = {
    "preference": ("said", "preference"),
    "correction": ("said", "pattern"),
    "decision": ("decision", "pattern"),
    "fact": ("said", "pattern"),
}

#: kinds of other rules' lessons that are refused where the sentence only passes; decisions are right all the same
_REFUSED: Final = frozenset(("preference", "correction", "reported", "fact"))
#: a lesson of another rule: its kind and its draft
Told = tuple[str, MemoryDraft]
#: a sentence with what it is worth
Judged = tuple[Said, Worth]


def hear(turns: Sequence[Turn], told: Sequence[Told]) -> list[list[Said]]:
    """The sentences of each turn; `told` is what the other rules made of them."""
    of_line: dict[int, list[tuple[str, str]]] = {}
    for kind, draft in told:
        for item in draft.evidence[:1]:
            of_line.setdefault(item.start_line, []).append((kind, one_line(draft.content)))
    return [_said_in(turn, of_line.get(turn.message.start_line, ())) for turn in turns]


def _said_in(turn: Turn, told: Sequence[tuple[str, str]]) -> list[Said]:
    """The sentences of a turn, each with the kinds of those lessons (`told`: kind and content) that hold its words."""
    own = own_sentences(turn.message, _MAX_ORDER)
    if len(turn.message.content) > MAX_MESSAGE and _is_document(own):
        return []
    leads = [_LEADS_IN.search(sentence) is not None for sentence in own]
    shows = any(leads) and _shows_output(turn.message.content)
    hands_in = [led and (shows or _is_of_others(sentence)) for led, sentence in zip(leads, own, strict=True)]
    return [
        Said(
            sentence,
            place,
            len(own),
            any(leads[:place]),
            turn.described,
            frozenset(kind for kind, content in told if one_line(sentence) in content),
            any(hands_in[:place]),
        )
        for place, sentence in enumerate(own)
    ]


def _is_document(own: Sequence[str]) -> bool:
    """Whether a long text was not written by the person: a prompt, or another model's review of the agent's work ("Your
    whole argument rests on ..."), which both speak to somebody, or one that repeats itself."""
    instructing = sum(_INSTRUCTS.match(sentence) is not None for sentence in own)
    return instructing > _MOST_INSTRUCTIONS or 2 * len(set(own)) < len(own)


def _is_of_others(sentence: str) -> bool:
    """Whether what a sentence leads to was said by a program or somebody else."""
    if _ASKS_ABOUT.search(sentence):
        return True
    return _OF_OTHERS.search(sentence) is not None and not _LAYS_DOWN.search(sentence)


def _shows_output(text: str) -> bool:
    """Whether a turn holds a block or lines of a program: what a colon leads to may be more of these, else it is a list
    in the person's own words ("the rules are:")."""
    return "```" in text or any(map(is_printed, text.splitlines()))


def plain_drafts(
    turns: Sequence[Turn],
    heard: Sequence[Sequence[Said]],
    messages: Sequence[Message],
    project: str,
    model: PlainModel,
) -> list[tuple[Kind, MemoryDraft]]:
    """Kind and draft of the best sentences of each turn that no other rule tells, each with those beside it; the model
    reads only those that neither ask nor pass with the work."""
    found = []
    for number, (turn, said_of) in enumerate(zip(turns, heard, strict=True)):
        if turn.first and _hands_in_issue(turn.message.content):
            continue
        own = [said.sentence for said in said_of]
        request = asked_before(turns[number - 1]) if number else ""
        handed: set[int] = set()
        most = _MOST_OF_PAGES if len(turn.message.content) > MAX_MESSAGE else _MOST
        for group in _groups(_judged(said_of, model), model)[:most]:
            places = [said.place for said, _ in group]
            statement, before = _whole(own, places[0], turn, messages)
            if statement and handed.isdisjoint(places):
                behind = _handed_over(own, places)
                handed.update(range(places[-1] + 1, places[-1] + 1 + len(behind)))
                statement = _joined([statement, *(said.sentence for said, _ in group[1:]), *behind])
                best = max((worth for _, worth in group), key=lambda worth: worth.keep)
                quotes = [*(said.sentence for said, _ in group), *behind]
                draft = _draft(best, statement, before, quotes, turn, project, request)
                natures = model.natures([said for said, _ in group])
                found.append((best.kind, replace(draft, natures=natures)))
    return found


def _hands_in_issue(text: str) -> bool:
    """Whether a whole issue is handed in: by its headings, or by its title and length where it opens with no order."""
    return is_described(text) or (is_issue(text) and not _ORDERS.match(text))


def _judged(said_of: Sequence[Said], model: PlainModel) -> dict[int, Judged]:
    """What may hold of a turn and no other rule tells, by its place."""
    asked = [said for said in said_of if not said.rules and not said.of_others and may_hold(said.sentence)]
    return {said.place: (said, worth) for said, worth in zip(asked, judge(asked, model), strict=True)}


def _groups(judged: Mapping[int, Judged], model: PlainModel) -> list[list[Judged]]:
    """Sentences that are stored, each with its likely neighbours; the best group first, by its best sentence."""
    groups: list[list[Judged]] = []
    used: set[int] = set()
    for said, worth in sorted(judged.values(), key=lambda one: -one[1].keep):
        if said.place in used or worth.keep < model.bound:
            continue
        first = last = said.place
        if _BEGINS_POINTING.search(said.sentence) and first - 1 in judged and first - 1 not in used:
            first -= 1
        size = len(said.sentence)
        while last - first + 1 < _MOST_TOGETHER:
            near = [
                (judged[at][1].keep, at) for at in (first - 1, last + 1) if at in judged and at not in used
            ]
            keep, at = max(near, default=(0.0, 0))
            if keep < model.beside or size + len(judged[at][0].sentence) > _MAX_TOGETHER:
                break
            first, last = min(first, at), max(last, at)
            size += len(judged[at][0].sentence)
        used.update(range(first, last + 1))
        groups.append([judged[at] for at in range(first, last + 1)])
    return groups


def _handed_over(own: Sequence[str], places: Sequence[int]) -> list[str]:
    """The sentences behind those at `places` that the last of these announces: without them it says nothing."""
    if not _HANDS_OVER.search(own[places[-1]]):
        return []
    size, found = sum(len(own[at]) for at in places), []
    for one in own[places[-1] + 1 :][:_MOST_HANDED]:
        size += len(one)
        if size > _MAX_TOGETHER:
            break
        found.append(one)
    return found


def refused(heard: Sequence[Sequence[Said]]) -> frozenset[str]:
    """Sentences that a rule took for a correction, a wish or a fact, and that only pass with the work."""
    return frozenset(
        one_line(said.sentence)
        for said_of in heard
        for said in said_of
        if said.rules and said.rules <= _REFUSED and is_passing(said.sentence)
    )


def _whole(own: Sequence[str], at: int, turn: Turn, messages: Sequence[Message]) -> tuple[str, str]:
    """The sentence with what it leans on: the one before it, else, as the second, the agent's words; empty when neither
    tells what it is about."""
    sentence = own[at]
    lang = "zh" if CJK.search(sentence) else "en"
    words = word_count(sentence)
    short = words < _LEANS[lang] and not names_a_thing(sentence)
    leans = _BEGINS_POINTING.search(sentence) is not None or (_POINTS.search(sentence) is not None and short)
    if _PICKS.search(sentence) and words < _LEANS[lang]:
        return "", ""
    if not leans:
        return (sentence, "") if words >= _SAYS[lang] else ("", "")
    if at and word_count(own[at - 1]) >= _SAYS[lang] and not only_asks(own[at - 1]):
        return f"{own[at - 1]} {sentence}", ""
    before = _before(messages[turn.before].content, sentence) if turn.before >= 0 else ""
    return (sentence, before) if before else ("", "")


def _before(answer: str, sentence: str) -> str:
    """The agent's sentence that `sentence` most likely speaks of: the one that shares most words with it, else the last
    that names something."""
    told = [one for one in told_in(answer) if len(one.encode()) >= _MIN_BEFORE]
    near = nearest(told, sentence)
    if near and shares_term(near, sentence):
        return clip(one_line(near), _MAX_BEFORE)
    named = [one for one in told if has_detail(one)]
    return clip(one_line(named[-1]), _MAX_BEFORE) if named else ""


def _joined(told: Sequence[str]) -> str:
    """Sentences as one text: a line that a person ended without a mark ends all the same."""
    found = told[0]
    for one in told[1:]:
        if found[-1] not in ".!?。！？；;:：,，":
            found += "；" if CJK.search(found[-1]) else ";"
        found += one if CJK.search(found[-1]) or found[-1] in "；。！？：，" else f" {one}"
    return found


def _draft(
    worth: Worth, statement: str, before: str, quotes: Sequence[str], turn: Turn, project: str, request: str
) -> MemoryDraft:
    named = worth.kind == "preference" or (worth.sure and not HEDGE.search(statement))
    key, memory_type = _TYPES[worth.kind] if named else _TYPES["fact"]
    statement = without_opening(one_line(statement))
    if before:
        statement = f"{statement} ({PHRASES[language(statement)]['instead_of'].format(statement=before)})"
    draft = statement_draft(
        key,
        statement,
        turn.message,
        quotes[0],
        project,
        memory_type=memory_type,
        tags=(worth.kind, BY_PERSON),
        context=request,
        confidence=confidence_in(worth.keep),
    )
    source = draft.evidence[0]
    more = [Evidence(source.start_line, source.end_line, quote[:400].strip()) for quote in quotes[1:]]
    return replace(draft, evidence=(source, *more))
