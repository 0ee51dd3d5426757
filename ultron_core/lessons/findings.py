"""What the agent found out about a project from what a tool had just shown it, in its own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ultron_core.lessons.people.statements import clean_statement, has_detail, statement_draft
from ultron_core.models import MemoryDraft, Message
from ultron_core.transcript.actions import Action, without_code
from ultron_core.transcript.language import CJK, sentences
from ultron_core.transcript.speech import HEDGE, any_of

__all__ = ["find_findings"]

#: a longer message is a report or a plan
_MAX_MESSAGE = 1_200
#: sentences of a message that tell what was seen; the next ones tell what comes next
_SENTENCES = 4
#: a shorter sentence states no fact, a longer one is a paragraph
_LENGTH = (45, 320)
#: results before a message that it may speak of
_RESULTS = 4
#: drafts of one segment
_MOST = 6
#: results before a report that it may speak of, characters of each, and statements that are taken from it
_RESULTS_OF_A_REPORT, _MAX_OUTPUT, _MOST_REPORTED = 12, 20_000, 2
#: sounds before a finding: "There it is — ", "Interesting - ", "Good news: "
_OPENING = re.compile(
    r"^(?:\(\d+\)\s*)?(?:there it is|interesting(?:ly)?|found it|found the (?:issue|cause|bug)|aha|ah|"
    r"good (?:news|catch)?|great|okay|ok|right|confirmed|so|and|but|note that|"
    r"(?:it )?turns out(?: that)?|correct \w+|as a bonus bug)\s*[—–:,.!-]*\s+|^\(\d+\)\s*",
    re.IGNORECASE,
)
#: says how something is made or behaves, not what happens next: "is gitignored", "does not read", "appends a suffix"
_HOLDS = any_of(
    r"\b(?:because|even though|doesn't|does not|don't|cannot|can't|isn't|aren't|never|instead of|rather than|"
    r"requires?|always|silently|ignores?|collaps(?:es|ed)|overrid\w+|expects?|unlike|by default|no longer|uses?|"
    r"appends?|ships?|supports?|relies|depends on|falls? back|returns?|reads?|writes?|stores?|skips?|only when|"
    r"only if|lives? (?:in|at|under)|(?:is|are) (?:defined|rendered|handled|stored|located|generated|built|set|"
    r"controlled|gitignored|registered|configured|injected|shared|deprecated|unused|in `))\b",
    r"^no \w+.{0,40} [—–-]+ ",
    r"不支持|不会|没有|默认|只有|使用|依赖|位于|存放|忽略|因为|需要",
)
#: the same where nobody would expect it: "a pragma cannot change the journal mode on a read-only connection"
_SURPRISES = any_of(
    r"\b(?:even though|cannot|can't|never|silently|no-op|only (?:when|if)|doesn't|does not|by default|always|unlike|"
    r"rather than|no longer)\b",
    r"不支持|不会|默认|只有|忽略",
)
#: about the agent's own work, its plan, this run or a place in a file, e.g. `Let me look`, `I need to check`,
#: `让我看看`
_OWN = any_of(
    r"^(?:if\b|when\b|looking\b|you\b|you'|your\b|read\b|only\b|see\b|i\b|i'|we\b|we'|my\b|now\b|next\b|all\b|both\b|"
    r"tests?\b|build\b|wait\b|actually\b|hmm\b|task\b|phase\b|clean\b|added\b|updated\b|expanded\b|removed\b|"
    r"moved\b|fixed\b|replaced\b|design\b|explore\b|implement\b|find\b|write\b|create\b|return\b|please\b|"
    r"implementation\b|exception\b|the (?:long |doc )?comment\b|an unknown\b|#\d|"
    r"two\b|three\b|one\b|the (?:code|output|result|script|fix|change|edit|build|linter|tests?|user|plan|error "
    r"messages?|only|remaining|following|command)\b|these\b|those\b|this\b|that\b|it\b|they\b|there\b|let|since\b|"
    r"take\b|add\b|use\b|update\b|\d)",
    r"\b(?:i'll|i will|i need|i should|i'm|i can|i see|we need|we should|let me|let's|want me|need(?:s)? to|"
    r"should|would|was moved|\| |will be|to implement|now|"
    r"has been|have been|was (?:added|changed|removed|updated)|my (?:change|edit)|"
    r"the (?:issue|problem|bug)|transient|worth|currently|pre-existing|lines? \d|lines? `?\d|so i)\b",
    r"\b(?:likely|presumably|apparently|suspect|may|might|could|seems?|looks?|appears? to|appear)\b",
    r"我(?:来|会|将|先|已)|完成|然后|^(?:我|让我|明白|好的|现在|接下来|这|那|首先|需要)",
)
#: items of a list are steps or parts, not findings, e.g. `- the parser`, `2. the lexer`
_LISTED = re.compile(r"^\s*(?:[-*•|#>]|\d{1,2}[.)])\s*.*$", re.MULTILINE)
#: things that can be looked up: `code`, camelCase, snake_case, e.g. `getUser`, `user_id`, `` `port` ``
_THING = re.compile(r"`([^`]{3,80})`|\b([a-z]+[A-Z]\w+|\w+_\w+|[A-Z][a-z]+[A-Z]\w*)\b")


def find_findings(messages: Sequence[Message], actions: Sequence[Action], project: str) -> list[MemoryDraft]:
    """At most six statements about a project, each naming a thing that the results before it show."""
    if not project:
        return []
    # what a failure came from is told with its cure
    outputs = {action.result: action.output if action.failure is None else "" for action in actions}
    drafts: dict[str, MemoryDraft] = {}
    for position, message in enumerate(messages):
        if message.role != "assistant" or message.origin != "model" or not message.content.strip():
            continue
        if len(message.content) <= _MAX_MESSAGE:
            shown = _shown(messages, position, outputs)
            told = _told(_prose(message.content)[:_SENTENCES], message.content, shown, _HOLDS)
        else:
            # a report tells more of the work than of the project: only what is surprising, twice at most
            shown = "" if message.tool_calls else _shown_before(position, outputs)
            told = islice(_told(_prose(message.content), message.content, shown, _SURPRISES), _MOST_REPORTED)
        for quote, statement in told if shown else ():
            draft = statement_draft("fact", statement, message, quote, project, tags=("finding",))
            drafts.setdefault(draft.content, draft)
    return list(drafts.values())[:_MOST]


def _shown(messages: Sequence[Message], position: int, outputs: dict[int, str]) -> str:
    """What the results right before a message show; nothing when a person spoke in between."""
    found: list[str] = []
    for place in range(position - 1, -1, -1):
        silent = messages[place].role == "assistant" and not messages[place].content.strip()
        if place in outputs and len(found) < _RESULTS:
            found.append(outputs[place])
        elif not silent:
            break
    return "\n".join(found)


def _shown_before(position: int, outputs: dict[int, str]) -> str:
    """The last results before a report, without the ends of long ones."""
    places = [place for place in outputs if place < position][-_RESULTS_OF_A_REPORT:]
    return "\n".join(outputs[place][:_MAX_OUTPUT] for place in places)


def _prose(text: str) -> list[str]:
    """Sentences of a message without its code and the items of its lists."""
    return sentences(_LISTED.sub("\n", without_code(text)))


def _told(told: Sequence[str], text: str, shown: str, cue: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Sentences with the statement that each makes."""
    for sentence in told:
        statement = clean_statement(_OPENING.sub("", sentence))
        size = len(statement) + 2 * len(CJK.findall(statement))
        if not _LENGTH[0] <= size <= _LENGTH[1] or sentence[-1] in ":：?？" or sentence not in text:
            continue
        if _OWN.search(statement) or HEDGE.search(statement) or not cue.search(statement):
            continue
        things = [one or other for one, other in _THING.findall(statement)]
        if has_detail(statement) and any(thing in shown for thing in things):
            yield sentence, statement[:1].upper() + statement[1:]
