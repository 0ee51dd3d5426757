"""What the agent states about a project after it looked or worked: how it is made, and why it was changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ultron_core.lessons.errors.told.asserted import is_told
from ultron_core.lessons.explanations import clip
from ultron_core.lessons.findings.said import Said, settled_from, statements
from ultron_core.lessons.findings.shape import (
    gives_a_reason,
    names_a_line,
    setting_of,
    stands_alone,
    states_a_fact,
)
from ultron_core.lessons.findings.worth import worth
from ultron_core.lessons.people.statements import statement_draft, weighty, without_opening
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import MemoryDraft, Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.language import WORD, language, one_line
from ultron_core.transcript.speech import any_of

__all__ = ["find_findings"]

#: worth of a statement from which on it is told: in the answer that closes a turn, and in a remark before a call
#: (docs/people.md: what each bound passes with the source left out)
_BOUND_CLOSING, _BOUND_REMARK = 0.65, 0.75
#: the same of a point of a list that gives no reason: of 80 statements that pass 55 are worth keeping, with the bounds
#: above alone 69 of 112 (benchmarks/gold/statements.jsonl, the fit's own statements)
_BOUND_POINT = 0.8
#: statements of one closing answer, of one remark, and of a segment
_MOST_OF_A_CLOSING, _MOST_OF_A_REMARK, _MOST = 2, 1, 8
#: a longer remark before a call is a report of a search: it is read when it closes a turn
_MAX_REMARK = 4_000
#: below it stands what is only proposed, guessed or still to be done: "Top 5 Improvements", "Unit test assessment",
#: "Possible causes", "Steps to try", "方案 B", "接下来怎么做（按优先级）", "原因（可能是其中之一）", "需要检查"
_OPEN_HEADING = any_of(
    r"\b(?:improvements?|assessment|recommend\w*|suggest\w*|options?|alternatives?|next|remaining|todo|proposals?|plan|"
    r"follow-?ups?|verification|possib\w+|likely|steps?|checklist|how to|what to|troubleshooting|priorit\w+)\b",
    r"建议|可选|后续|方案|下一步|改进|可能|检查|排查|步骤|优先级|接下来|怎么做|第[一二三四五]步",
)
#: a point that tells what to do: "Add a role", "Check that the port is free", "去后台确认表里有数据", "新建一个类"
_ORDER = any_of(
    r"^(?:add|check|choose|click|confirm|copy|create|delete|ensure|extract|go to|install|make sure|merge|move|open|"
    r"pass|paste|put|remove|rename|replace|restart|run|select|set|start|switch|test|try|update|use|verify|wrap)\b"
    r"(?! (?:is|are)\b)",
    r"^(?:请|先|再|然后|去|新建|创建|打开|点击|确认|检查|运行|执行|添加|加上|修改|复制|粘贴|安装|把|将)",
)
#: what only names things, e.g. `src/icons/`, `[a link](https://example.org/a)`
_NAMES_ALONE = re.compile(
    r"`[^`\n]{0,200}`|\[[^\]\n]{0,200}\]\([^)\n]{0,400}\)|(?<![\w.@-])[\w.@-]*/[\w./@-]*"
)
#: words that a statement has beside its names: with fewer it is a list of them
_FEWEST_WORDS = 4
#: results before a statement that it may speak of, and characters of each
_RESULTS, _MAX_OUTPUT = 8, 12_000
#: things that can be looked up: `code`, a path, camelCase, snake_case, e.g. `getUser`, `user_id`, `` `port` ``
_THING = re.compile(
    r"`([^`]{3,80})`|([\w.-]{1,100}/[\w./-]+)|\b([a-z]+[A-Z]\w+|\w+_\w+|[A-Z][a-z]+[A-Z]\w*)\b"
)
#: words that two statements share when one repeats the other, e.g. `refresh_token`, `缓存`
_TERM = re.compile(r"[A-Za-z_][\w-]{3,}|[\u3400-\u9fff]{2}")
#: share of the shorter one's words from which on two statements say the same
_SAME = 0.6
#: characters of the order that are quoted
_MAX_ASKED = 160


@dataclass(frozen=True, slots=True)
class _Candidate:
    said: Said
    message: Message
    turn: Turn | None
    worth: float


def find_findings(
    messages: Sequence[Message], actions: Sequence[Action], turns: Sequence[Turn], project: str, work: bool
) -> list[MemoryDraft]:
    """At most eight statements, each naming a thing that the log shows: the best of every closing answer that the
    person let stand, and what a remark says right after a result."""
    if not work:
        return []
    outputs = {action.result: action.output for action in actions}
    failed = {action.result for action in actions if action.failure is not None}
    following = {turn.position: turn for turn in turns}
    turn: Turn | None = None
    found: list[_Candidate] = []
    for position, message in enumerate(messages):
        turn = following.get(position, turn)
        if message.role != "assistant" or message.origin != "model" or not message.content.strip():
            continue
        closing = turn is not None and turn.answer == position and not message.tool_calls
        if closing and turn is not None and turn.objected:
            continue
        if not closing and (
            len(message.content) > _MAX_REMARK or position - 1 not in outputs.keys() - failed
        ):
            continue
        found += _best(message, position, turn, closing, outputs, project)
    found = _different(sorted(found, key=lambda one: -one.worth))[:_MOST]
    return [_draft(one, project) for one in sorted(found, key=lambda one: one.message.start_line)]


def _best(
    message: Message, position: int, turn: Turn | None, closing: bool, outputs: dict[int, str], project: str
) -> list[_Candidate]:
    bound, most = (_BOUND_CLOSING, _MOST_OF_A_CLOSING) if closing else (_BOUND_REMARK, _MOST_OF_A_REMARK)
    found = []
    for said in statements(message.content):
        # below "Lines 12-20 (new):" a review goes through a change that is not yet final
        if names_a_line(said.heading) or _OPEN_HEADING.search(said.heading):
            continue
        if not (stands_alone(said.text) and states_a_fact(said.text) and is_told(said.text)):
            continue
        if (said.point and _ORDER.search(said.text)) or not _says_something(said.text):
            continue
        setting = setting_of(said, message.content, closing=closing, calls=bool(message.tool_calls))
        value = worth(said.text, setting)
        if value >= _bound(said, bound):
            found.append(_Candidate(said, message, turn, value))
    if not found:
        return []
    settled = settled_from(message.content)
    found = [one for one in found if message.content.find(one.said.quote) >= settled]
    shown = _shown(position, outputs, turn)
    named = [one for one in found if _is_shown(one.said.text, shown, bool(outputs), project)]
    return sorted(named, key=lambda one: -one.worth)[:most]


def _says_something(text: str) -> bool:
    return len(WORD.findall(_NAMES_ALONE.sub(" ", text))) >= _FEWEST_WORDS


def _bound(said: Said, bound: float) -> float:
    return max(bound, _BOUND_POINT) if said.point and not gives_a_reason(said.text) else bound


def _shown(position: int, outputs: dict[int, str], turn: Turn | None) -> str:
    """The last results before a message, without the ends of long ones, and what the person wrote."""
    places = [place for place in outputs if place < position][-_RESULTS:]
    return "\n".join(
        [turn.message.content if turn else "", *(outputs[place][:_MAX_OUTPUT] for place in places)]
    )


def _is_shown(text: str, shown: str, acted: bool, project: str) -> bool:
    """Whether the log bears out a name of the statement; where no call is logged, the names must do."""
    things = [thing for found in _THING.findall(text) for thing in found if thing]
    if not acted:
        return bool(things)
    return any(thing in shown for thing in things) or (bool(project) and len(things) > 1)


def _different(found: Sequence[_Candidate]) -> list[_Candidate]:
    """The first of those that say the same."""
    kept: list[tuple[_Candidate, set[str]]] = []
    for one in found:
        terms = set(_TERM.findall(one.said.text.casefold()))
        if all(len(terms & other) < _SAME * min(len(terms), len(other)) for _, other in kept):
            kept.append((one, terms))
    return [one for one, _ in kept]


def _draft(one: _Candidate, project: str) -> MemoryDraft:
    draft = statement_draft("fact", one.said.text, one.message, one.said.quote, project, tags=("finding",))
    return replace(draft, context=_setting(one))


def _setting(one: _Candidate) -> str:
    """What the person had asked, and the heading that the statement stands below."""
    own = own_sentences(one.turn.message) if one.turn else []
    told = without_opening(one_line(" ".join(own[:2])))
    told = told if weighty(told) else ""  # "continue", "address 8 and 12"
    parts = [PHRASES[language(told)]["asked"].format(statement=clip(told, _MAX_ASKED))] if told else []
    if one.said.heading:
        words = PHRASES[language(one.said.heading)]
        parts.append(words["below"].format(statement=clip(one.said.heading, _MAX_ASKED // 2)))
    return " ".join(parts)
