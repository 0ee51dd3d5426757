"""Decisions with their reason: what a person chose, and what an agent proposed and a person accepted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.explanations import clip
from ultron_core.lessons.findings.shape import points_elsewhere
from ultron_core.lessons.people.statements import (
    clean_statement,
    has_detail,
    named,
    nearest,
    phrase,
    shares_term,
    statement_draft,
    without_opening,
    word_count,
)
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import without_code
from ultron_core.transcript.language import CJK, language, one_line, sentences
from ultron_core.transcript.speech import ONE_OFF, QUESTION, any_of

__all__ = ["find_decisions"]

#: a person chooses: "let's use X because Y", "go with option 1", "we decided that in dev", "那就用Redis"
_CHOICE = any_of(
    r"\b(?:let'?s|we(?:'ll| will| should)|i(?:'ll| will|'d rather)|i would rather) (?:just |rather |"
    r"then )?(?:use|have|allow|support|hide|require|go with|keep|stick with|switch to|drop|do|move|store|call|make|"
    r"put|not|remove|delete|rename|replace|merge|split|skip) \S+",
    # "for 2 we want the aliased version", "at startup we want to check for the ~ config file"
    r"(?<!things )(?<!what )(?<!that )(?<!all )(?<!stuff )(?<!do )\bwe "
    r"(?:actually |basically |really |also |only )?(?:want|need) "
    r"(?:to (?!know|see|understand|find out|talk|think|look)\w+|the|an?|it|this|that|them|both) \S+",
    r"(?<![.\w])(?:go|going|went) (?:with|for) \S+|\b(?:we|i) (?:decided|agreed|settled|chose|opted|prefer)\b",
    r"\b(?:rather than|instead of|over) .{3,60}\b(?:because|since|so that|as it)\b",
    r"(?:那就|还是|就|决定|改|最终)(?:用|使用|采用|选择?|按)\s*\S+|(?:选|采用)(?:方案|选项)|(?:改|放|写|做|保留|使用).{1,30}而不是",
    r"我们(?:想要?|需要|希望|要求)(?!你)\S{4,}",
)
#: e.g. `because it is faster`, `以便回滚`, and after an order `That's not important analytics.`
_REASON = any_of(
    r"^(?:that|it|this)(?:'s| is) (?:not|no|only|just|too|already|never)\b",
    r"\b(?:because|since|so that|otherwise|in order to|that way|the reason)\b|因为|由于|这样|以便|否则|避免",
)
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
#: a choice in several points: "let's do 1. the name, 2. the hash, 3. a scan"
_LISTED = re.compile(r"\b1[.)]\s.{1,400}\b2[.)]\s", re.DOTALL)
#: what is wanted is named in a sentence before, e.g. `we need to bring that here`
_POINTS = re.compile(
    r"\b(?:want|need|use|do|move|keep|drop|put|make)(?: to \w+)? (?:that|this|it|them|those|these)\b"
)
#: a longer turn is taken sentence by sentence
_MAX_WHOLE = 400
#: where things go, line by line, e.g. `tools -> core/tools`
_ARROW = re.compile(r"^[^\n]{0,120}?\S\s+(?:->|=>|→)\s+\S[^\n]{0,80}$", re.MULTILINE)
#: a single line is a remark, two are a layout
_MIN_ARROWS = 2
#: a longer turn is a document
_MAX_LAID_OUT = 700
#: what comes first and what next, line by line below such a line, e.g. `Order to check:⏎bin/tool⏎tool in path`,
#: `优先级：⏎a⏎b`
_ORDERED = re.compile(
    r"^(?P<head>[^\n]{0,120}(?:\b(?:order|priority|precedence|sequence)\b|顺序|优先级|次序)[^\n]{0,60}[:：])[ \t]*\n+"
    r"(?P<items>(?:[^\n]*\S[^\n]*(?:\n|\Z)){2,8})",
    re.IGNORECASE | re.MULTILINE,
)
#: characters of the option that is quoted
_MAX_OPTION = 320
#: characters of the agent's sentence that a choice answers
_MIN_SAID, _MAX_SAID = 30, 200
#: a case that is only thought of, e.g. `Suppose we want to sort it`, `假设我们希望`
_SUPPOSED = re.compile(r"\b(?:suppose|imagine|assume|let'?s say)\b|假设|假如", re.IGNORECASE)
#: a shorter sentence leaves open what was chosen; in Chinese twice as many characters
_MIN_WORDS = 5
#: a choice in so many words says what it is about without naming a file
_MIN_PLAIN = 14


def find_decisions(
    messages: Sequence[Message], turns: Sequence[Turn], project: str, work: bool
) -> list[MemoryDraft]:
    """At most one decision a turn; none of a talk that is not about work, where people choose seats and dishes."""
    if not work:
        return []
    drafts = []
    for turn in turns:
        before = messages[turn.before] if turn.before >= 0 else None
        picked = _picked(turn, before, project) if before is not None else None
        found = [picked] if picked else _chosen(turn, before, project)
        if not found and before is not None:
            accepted = _accepted(turn, before, project)
            found = [accepted] if accepted else []
        drafts += found
    return drafts


def _chosen(turn: Turn, before: Message | None, project: str) -> list[MemoryDraft]:
    """A person's own choice in words that say what it is, with the sentence that gives the reason, and the order or
    the places that they laid down line by line."""
    text = turn.message.content.strip()
    laid_out = _laid_out(text)
    found = [_decided(turn, before, *laid_out, project)] if laid_out else []
    if len(text) <= _MAX_WHOLE and _LISTED.search(text) and _CHOICE.search(text) and has_detail(text):
        return [_decided(turn, before, without_opening(text), text, project)]
    own = own_sentences(turn.message)
    for place, sentence in enumerate(own):
        if QUESTION.search(sentence) or ONE_OFF.search(sentence) or _SUPPOSED.search(sentence):
            continue
        if not _CHOICE.search(sentence):
            continue
        after = own[place + 1] if place + 1 < len(own) and _REASON.search(own[place + 1]) else ""
        whole = " ".join((*_antecedent(own, place), sentence))
        told = after or has_detail(sentence) or _REASON.search(sentence) or _words(sentence) >= _MIN_PLAIN
        if not _weighty(sentence) or not told:
            continue
        statement = without_opening(" ".join(filter(None, (whole, after))))
        confidence = 0.7 if after or _REASON.search(sentence) else 0.6
        return [*found, _decided(turn, before, statement, sentence, project, confidence)]
    return found


def _decided(
    turn: Turn, before: Message | None, statement: str, quote: str, project: str, confidence: float = 0.65
) -> MemoryDraft:
    """A decision; its context is the agent's sentence that it answers, where the two speak of the same thing."""
    told = [s for s in sentences(without_code(before.content)) if shares_term(s, statement)] if before else []
    said = clip(clean_statement(nearest([s for s in told if len(s) >= _MIN_SAID], statement)), _MAX_SAID)
    return statement_draft(
        "decision",
        statement,
        turn.message,
        quote,
        project,
        tags=("decision",),
        context=PHRASES[language(statement)]["instead_of"].format(statement=said) if said else "",
        confidence=confidence,
    )


def _antecedent(own: Sequence[str], place: int) -> list[str]:
    """The sentences before one that points back at them, to the one that names it, as long as the whole stays short."""
    if not _POINTS.search(own[place]):
        return []
    first = place
    while first > 0 and sum(map(len, own[first - 1 : place + 1])) <= _MAX_WHOLE:
        first -= 1
        if _words(own[first]) >= _MIN_WORDS and not points_elsewhere(own[first]):
            break
    return list(own[first:place])


def _laid_out(text: str) -> tuple[str, str] | None:
    """The lines that say where each thing goes, or what comes first, with the first of them as the quote."""
    if len(text) > _MAX_LAID_OUT:
        return None
    ordered = _ORDERED.search(text)
    if ordered and has_detail(ordered["items"]) and not QUESTION.search(ordered["items"]):
        items = "; ".join(clean_statement(line) for line in ordered["items"].splitlines() if line.strip())
        return f"{clean_statement(ordered['head'])}: {items}", ordered["head"].strip()
    lines = [line.strip() for line in _ARROW.findall(without_code(text))]
    return ("; ".join(lines), lines[0]) if len(lines) >= _MIN_ARROWS else None


def _weighty(text: str) -> bool:
    return _words(text) >= _MIN_WORDS


def _words(text: str) -> int:
    return word_count(text) // (2 if CJK.search(text) else 1)


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
