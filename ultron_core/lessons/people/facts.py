"""Facts about a project, stated by a person or shown by a refusal that the agent ran into."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.describe import describe_subject
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.people.statements import has_detail, statement_draft
from ultron_core.lessons.people.turns import Turn, own_sentences
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, without_code
from ultron_core.transcript.failures import clean_line
from ultron_core.transcript.language import one_line, sentences
from ultron_core.transcript.speech import ONE_OFF, QUESTION, any_of

__all__ = ["find_facts", "find_policies", "find_refusals"]

#: a longer order is a document of its own
_MAX_ORDER = 6000
_MAX_FACTS = 4
#: a person states what holds in the project
_STATED = any_of(
    # "The lib is at ../../lib", "config lives in ~/.app/config.toml"
    r"\b(?:lives?|is|are|sits?|located|stored|resides?|belongs?|kept|goes?|supposed to be|should be) (?:in|at|"
    r"under|inside) "
    r"(?:the )?(?:`|@|~?\.{0,2}/|[\w-]+/)",
    # "we use pnpm here", "we don't support Windows"
    r"\bwe (?:only |already |always )?(?:use|run|support|target|deploy|publish|release|ship|test|don't (?:use|"
    r"support|ship|have))\b",
    # "this is an OSS repo", "it's a private repo", "it is a monorepo"
    r"\b(?:is|it's|are|that's) (?:an? |our )?(?:\w+ )?(?:private|public|oss|open[- ]source|monorepo|internal|"
    r"canonical|deprecated|"
    r"read-only|generated)\b",
    # "the API listens on port 8081"
    r"\bports? (?:is |was |number )?\d{2,5}\b|\b(?:requires?|needs?|runs? on|supports?|minimum|"
    r"at least) (?:\w+ ){0,2}v?\d+\.\d+",
    # "The priority is flags -> local project file -> home file"
    r"\bthe (?:\w+ ){0,2}(?:priority|order|convention|canonical \w+|default|source of truth|entry point|"
    r"package manager|"
    r"minimum|min version) (?:is|are|should be|for)\b",
    # "the watch command moved out of main.go into cmd/watch.go"
    r"\b(?:moved|renamed|migrated|switched) (?:out of|from|to|into) \S+",
    # "~/.tool/tmp/name is shared by both projects"
    r"\bshared? (?:by|between|with)\b|\bdepends? on\b",
    r"(?:位于|放在|存放在|定义在|在)\s*[`@\w./-]*[/.]\w+|我们(?:都)?(?:用的?是?|使用|统一用|采用|不支持|只支持)|(?:项目|仓库)(?:使用|用的是|采用|是)",
    r"端口(?:号)?(?:是|为)?\s*\d+|版本(?:号)?(?:是|为|要求)|默认(?:是|为|值)|依赖于?\s*[`\w@]|入口(?:是|在)",
)
#: speaks of the moment: what somebody did, saw, or wants now, e.g. `I just ran it`, `Look at this`, `我刚试了`
_MOMENT = any_of(
    r"^(?:if|since|consider|look|when|ok|and|but)\b|\bhttps?://|\b(?:iiuc|afaik|maybe|probably)\b|\bi can\b",
    r"\b(?:i (?:ran|run|did|get|got|see|saw|tried|think|guess|want|have|just)|right now|currently|today|"
    r"recently|i \w+ed|yesterday|looks like|"
    r"this is (?:the output|what)|you (?:can|could|need|should|must|forgot|are)|please|let's|here is|error|"
    r"missing|we should)\b",
    r"我(?:刚|试|看到|想|觉得|发现|运行)|帮我|请你?|报错|现在|刚才|麻烦|你可以|你(?:应该|需要|去|来)",
)


def find_facts(turns: Sequence[Turn], project: str) -> list[MemoryDraft]:
    """Sentences in which a person states what holds in the project; of each turn the first few."""
    drafts = []
    for turn in turns:
        if turn.does("objection"):
            continue  # what is stated there is a correction
        stated = [s for s in own_sentences(turn.message, _MAX_ORDER) if _is_fact(s)]
        for sentence in stated[:_MAX_FACTS]:
            confidence = 0.7 if turn.does("fact") else 0.6
            drafts.append(
                statement_draft(
                    "fact", sentence, turn.message, sentence, project, tags=("fact",), confidence=confidence
                )
            )
    return drafts


def _is_fact(sentence: str) -> bool:
    if QUESTION.search(sentence) or ONE_OFF.search(sentence) or _MOMENT.search(sentence):
        return False
    detailed = has_detail(sentence) or "->" in sentence or "→" in sentence
    return detailed and len(sentence.encode()) >= 20 and _STATED.search(sentence) is not None


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
    r"\b(?:your|you|you're|you've|my|let me|since|the (?:reservation|order|booking|flight|ticket) (?:was|is|has|"
    r"does)|i (?:see|found|have|will|understand|apologi\w+)|i'll|i've|this (?:reservation|order|booking|flight|"
    r"request))\b|[$€£]\s?\d|"
    r"\b(?=\w*\d)(?=\w*[A-Z])[A-Z\d]{5,}\b|\b(?:january|february|march|april|may \d|june|july|august|september|"
    r"october|november|"
    r"december)\b|[?？]\s*$",
    r"您|你|我|本次|该订单|这个(?:订单|航班|预订)",
)


def find_policies(messages: Sequence[Message]) -> list[MemoryDraft]:
    """Rules of the house that an agent told the people it serves, without anything about one case."""
    drafts = []
    for message in messages:
        if message.role != "assistant" or message.tool_calls:
            continue
        for sentence in sentences(without_code(message.content)):
            sentence = re.sub(r"^(?:[-*•]|\d+[.)])\s+", "", sentence)
            if not 30 <= len(sentence.encode()) <= 300 or sentence not in message.content:
                continue
            if _POLICY.search(sentence) and not _ONE_CASE.search(sentence):
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
