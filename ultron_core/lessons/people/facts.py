"""Facts about a project: what a refusal shows that the agent ran into, and what a service tells its customers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import describe_subject
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.people.statements import statement_draft
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, without_code
from ultron_core.transcript.language import one_line, sentences
from ultron_core.transcript.people import is_group
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.speech import any_of

__all__ = ["find_policies", "find_refusals"]

#: drafts of one message
_MAX_FACTS = 4
#: what a hook, a pipeline or a protected branch prints when it turns a change away
_REFUSED = any_of(
    # "husky - pre-commit hook exited with code 1", "pre-push hook failed"
    r"\b(?:pre-(?:commit|push|receive)|commit-msg|prepare-commit-msg|post-\w+|PreToolUse\S*|PostToolUse\S*|"
    r"Stop)\b.{0,30}\bhook\b"
    r".{0,80}(?:fail|exit|declin|reject|block|denied|error|feedback)",
    r"\bhook (?:declined|blocked|rejected|denied)\b|\bblocked by (?:a |the )?hook\b",
    # "remote: error: GH006: Protected branch update failed for refs/heads/main."
    r"\bprotected branch\b|\bchanges must be made through a pull request\b|\bcannot push to (?:this|a protected|"
    r"the)\b",
    # "✖   subject must not be sentence-case [subject-case]"
    r"^[✖x]\s+.{4,}\[[a-z]+-[a-z-]+\]",
    # "policy does not allow ..."
    r"\bpolicy (?:does not|doesn't|do not) (?:allow|permit)\b|\bnot (?:allowed|permitted) by (?:the |"
    r"this )?\w*\s?policy\b|"
    r"\b(?:violates?|against) (?:the |our |this )?\w*\s?policy\b",
    r"策略不允许|被(?:钩子|策略|保护分支)(?:拒绝|阻止)",
    flags=re.IGNORECASE | re.MULTILINE,
)
#: in a longer output these words are content
_MAX_REFUSAL = 4_000


def find_refusals(messages: Sequence[Message], actions: Sequence[Action], project: str) -> list[MemoryDraft]:
    """Hooks, pipelines and protected branches that turned a change away, each with its own line."""
    found: dict[str, MemoryDraft] = {}
    for action in actions:
        if action.failure is None or len(action.output) > _MAX_REFUSAL:
            continue
        match = _REFUSED.search(action.output)
        if match is None:
            continue
        line = _line_at(action.output, match.start())
        lang = talk_language(messages, action.result)
        words = PHRASES[lang]["refusal_in" if project else "refusal"]
        subject = describe_subject(messages, action, lang)
        source = messages[action.result]
        content = words.format(project=project, subject=subject, line=clean_line(line, 240))
        evidence = (Evidence(source.start_line, source.end_line, line[:400].strip()),)
        found.setdefault(line, MemoryDraft(content, "", "", ("fact", "refusal"), 0.7, "pattern", evidence))
    return list(found.values())


def _line_at(text: str, place: int) -> str:
    start, end = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    return text[start : end if end >= 0 else len(text)].strip()


#: an agent that serves people states a rule of the house: "Basic economy flights cannot be modified."
_POLICY = any_of(
    r"\b(?:policy|policies|rules|terms) (?:does not|doesn't|do not|don't|only|require|allow|state)\w*\b",
    r"\b(?:cannot|can not|can't|can only|must|may not|are not allowed to|is not possible to) be (?:\w+ )?"
    r"(?:modified|changed|cancel\w+|refunded|exchanged|removed|added|returned|used|combined|upgraded|"
    r"transferred|issued|edited)\b",
    r"\b(?:not|only) (?:eligible|allowed|permitted|available) (?:for|to|with|within|if|when)\b",
    r"\b(?:unable to|not able to|can only|cannot) (?:\w+ ){1,6}(?:for|to|on|from|of) .{0,60}\b(?:policy|unless|"
    r"only|within|without|if)\b",
    r"(?:政策|规定)(?:不允许|只允许|要求)|(?:不能|无法|不可以?|只能)(?:被)?(?:修改|更改|取消|退款|退换|叠加|转让)",
)
#: "Unfortunately, ", "Please note that "
_POLITE = re.compile(
    r"^(?:unfortunately|however|please note that|as a reminder|i'm sorry, but|但是|很抱歉)[，,:]?\s*",
    re.IGNORECASE,
)
#: about one person's case, not about the rule, e.g. `your booking`, `a fee of $50`, `您的订单`
_ONE_CASE = any_of(
    r"^i\b|\b(?:your|you|you're|you've|my|let me|since|the (?:reservation|order|booking|flight|ticket) (?:was|is|has|"
    r"does)|i (?:see|found|have|will|understand|apologi\w+)|i'll|i've|this (?:reservation|order|booking|flight|"
    r"request))\b|[$€£]\s?\d|"
    r"\b(?=\w*\d)(?=\w*[A-Z])[A-Z\d]{5,}\b|\b(?:january|february|march|april|may \d|june|july|august|september|"
    r"october|november|"
    r"december)\b|[?？]\s*$",
    r"您|你|我|本次|该订单|这个(?:订单|航班|预订)",
)


#: points elsewhere or leaves open what it says, e.g. `it cannot be cancelled`, `unless they meet specific conditions`
_VAGUE = any_of(
    r"^(?:\w+, )?(?:it|this|that|they|these|those)\b|\bthe following\b|\b(?:specific|certain|some) (?:conditions|"
    r"circumstances|criteria|cases)\b|\bit (?:seems|appears|looks)\b",
    r"^(?:它|这|该)|以下|特定(?:条件|情况)",
)


def find_policies(messages: Sequence[Message], work: bool) -> list[MemoryDraft]:
    """Rules of the house that an agent told the people it serves, without anything about one case."""
    if work or is_group(messages):
        return []
    drafts = []
    for message in messages:
        if message.role != "assistant" or message.tool_calls:
            continue
        for sentence in sentences(without_code(message.content)):
            sentence = re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", sentence)
            if not 30 <= len(sentence.encode()) <= 300 or sentence not in message.content:
                continue
            if _POLICY.search(sentence) and not (_ONE_CASE.search(sentence) or _VAGUE.search(sentence)):
                draft = statement_draft(
                    "fact",
                    _POLITE.sub("", one_line(sentence)),
                    message,
                    sentence,
                    "",
                    tags=("fact", "policy"),
                    confidence=0.6,
                )
                drafts.append(draft)
    return drafts[:_MAX_FACTS]
