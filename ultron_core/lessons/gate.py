"""Gates: why a draft must not become a memory. Each refusal has a short stable reason."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.lessons.candidates.written import shows_guide
from ultron_core.lessons.evidence import holding, is_own
from ultron_core.models import Drop, Evidence, MemoryDraft, Message, MessageLike, as_messages
from ultron_core.transcript.actions import message_texts
from ultron_core.transcript.language import CJK, WORD, one_line
from ultron_core.transcript.orders import orders_reader
from ultron_core.transcript.recaps import is_recap

__all__ = ["MIN_CONFIDENCE", "gate_draft"]

#: lowest confidence that is kept of what no ranker judged (set by hand: docs/memories.md)
MIN_CONFIDENCE = 0.5

#: "Is there anything else I can help with?" / "您好，很高兴为您服务。"
_BOILERPLATE = re.compile(
    r"^(?:hi|hello|hey|thanks?(?: you)?|thank you (?:so|very) much|you're welcome|sure|ok(?:ay)?|"
    r"great|done|yes|no|bye|goodbye|good (?:morning|day)|"
    r"how can i (?:help|assist)|is there anything else|i(?:'m| am) (?:happy|glad|here) to (?:help|"
    r"assist)|let me know if|i(?:'ll| will) (?:help|start|begin|now|go ahead)|"
    r"the task (?:is|was|has been) (?:complete\w*|done|finished)|task completed|all (?:tests|checks) pass(?:ed)?|"
    r"as an ai|i(?:'m| am) (?:sorry|unable)|please (?:confirm|wait|provide)|"
    r"你好|您好|谢谢|好的|不客气|再见|没问题|请稍等|任务(?:已)?完成|还有(?:什么|其他)|很高兴|"
    r"有什么可以帮|祝您|抱歉|对不起)"
    r"[\s\S]{0,60}$",
    re.IGNORECASE,
)
#: "My phone number is ..." / "Confirmation code: 4OG6T3" / "我的身份证..."
_PRIVATE = re.compile(
    r"\bmy (?:\w+ )?(?:phone|number|address|email|e-mail|password|passport|birthday|date of birth|"
    r"salary|bank|credit card|ssn|diagnosis|doctor|wife|husband|"
    r"girlfriend|boyfriend|son|daughter|mother|father|mom|dad|medication|user ?id|account|zip)\b|"
    r"\b(?:user|customer|client|patient|passenger)(?:'s)? (?:phone|home address|address|email|"
    r"password|passport|date of birth|dob|birthday|salary|"
    r"bank account|credit card|ssn|diagnosis|user id|id|reservation|booking)\b(?: number| id)?\s*(?:is|was|:|=)|"
    # digits among real capitals, or the six letters of an airline's record locator; nobody is
    # named in sentences such as "Middleware order matters" or "a booking was refused"
    r"\b(?:reservation|booking|confirmation|order) (?:id|number|code)?(?:\s*(?:is|was|:|"
    r"=))?\s*(?-i:(?=[A-Z0-9]*\d)[A-Z0-9]{5,}|[A-Z]{6})\b|\bdate of birth\b|\bsocial security\b|"
    r"我的(?:手机|电话|地址|邮箱|密码|护照|身份证|生日|工资|银行卡|信用卡|病|妻子|丈夫|老婆|老公|儿子|"
    r"女儿|妈妈|爸爸|母亲|父亲|女朋友|男朋友)|"
    r"(?:用户|客户|患者)的?(?:手机号|电话|住址|家庭住址|身份证|银行卡|病历|密码)(?:号码?)?(?:是|为|：)|身份证号",
    re.IGNORECASE,
)
#: where those words tell of somebody, and not of a field ("the customer's id is read from CLIENT_ID")
_TELLS = ("is", "was", ":", "=", "是", "为", "：")
#: behind them a value that is somebody's own, e.g. ` mia_li_3668`
_OWN_VALUE = re.compile(r"\s*[^\s，。；]*[\d@]")
#: what redaction leaves of a person: `<PERSON>`, `<PHONE_NUMBER_2>`
_PERSONAL_PLACEHOLDER = re.compile(
    r"<(?:PERSON|EMAIL_ADDRESS|EMAIL|PHONE_NUMBER|CREDIT_CARD|US_SSN|SSN|ID_CARD|CN_ID|IBAN_CODE|IBAN|"
    r"ADDRESS)(?:_\d+)?>"
)
#: what tells an agent what to do
_RULES = ("preference", "correction")
#: a note that tells of an order instead of passing it on, e.g. `prompt injection in a web page`
_TELLS_OF_ORDER = re.compile(r"\binject|注入", re.IGNORECASE)


def gate_draft(draft: MemoryDraft, messages: Sequence[MessageLike], *, by_rules: bool = True) -> Drop | None:
    """The reason to refuse `draft`, or None to let it pass.

    About its source, when `messages` (of its session) are given: quote_not_in_lines, ordered_by_tool,
    system_prompt, recalled_echo, not_own_words (a rule that is not the person's own, unless a model
    wrote it: `by_rules` False), overtaken (a later line takes it
    back, whose number is in the payload). About its content: too_short, boilerplate (neither of what a model wrote in
    more than a word: it may be a value, or where something is), private_not_shareable, low_confidence (not of a cure
    that nobody tested, which is kept as such). A direct upload has no messages and meets the second group alone.
    """
    records = as_messages(messages)
    reason = (_about_source(draft, records) if records else None) or _about_content(draft, by_rules)
    if reason is None and records:
        # a model puts what a person wants into its own words
        reason = (_about_speaker(draft, records) if by_rules else None) or (
            "overtaken" if draft.overtaken else None
        )
    if reason is None:
        return None
    lines = [[item.start_line, item.end_line] for item in draft.evidence]
    payload: dict[str, object] = {"content": draft.content, "memory_type": draft.memory_type, "lines": lines}
    if draft.overtaken:
        payload["by"] = draft.overtaken
    return Drop("memories", reason, one_line(draft.content), payload)


def _about_source(draft: MemoryDraft, messages: Sequence[Message]) -> str | None:
    sources: list[Message] = []
    for item in draft.evidence:
        found = holding(item, messages)
        if not found:
            return "quote_not_in_lines"
        if any(_is_order(item, message) for message in found) and not _TELLS_OF_ORDER.search(draft.content):
            return "ordered_by_tool"
        sources += found
    if not sources:
        return "quote_not_in_lines"
    if all(_is_instruction(message) for message in sources):
        return "system_prompt"
    if all(message.origin == "recalled" for message in sources) or _echoes(draft, messages):
        return "recalled_echo"
    return None


def _about_speaker(draft: MemoryDraft, messages: Sequence[Message]) -> str | None:
    if draft.memory_type not in _RULES:
        return None
    found = (holding(item, messages) for item in draft.evidence)
    others = (
        all(_is_anothers(item, message) for message in held)
        for item, held in zip(draft.evidence, found, strict=True)
    )
    return "not_own_words" if any(others) else None


def _is_instruction(message: Message) -> bool:
    """A prompt or a reminder of the harness; its recap of the session and a quoted guide of the project are not."""
    if message.role == "system":
        return True
    return message.origin == "harness" and not (is_recap(message) or shows_guide(message.content))


def _is_anothers(item: Evidence, message: Message) -> bool:
    """Whether a person only quotes, pastes or reports what a rule rests on."""
    return message.origin == "human" and not is_own(item.quote, message) and not shows_guide(message.content)


def _is_order(item: Evidence, message: Message) -> bool:
    """Whether a tool's output wants its reader to write down what is quoted, or plays a person who does."""
    if message.origin != "tool":
        return False
    return any(orders_reader(text, item.quote) for text in message_texts(message) if item.quote in text)


def _echoes(draft: MemoryDraft, messages: Sequence[Message]) -> bool:
    """True when a recalled message already holds it: an agent that repeats a memory gives no new one."""
    repeated = [
        one_line(draft.content).casefold(),
        *(one_line(item.quote).casefold() for item in draft.evidence[:1]),
    ]
    recalled = [one_line(message.content).casefold() for message in messages if message.origin == "recalled"]
    return any(len(text) >= 20 and text in memory for text in repeated for memory in recalled)


def _about_content(draft: MemoryDraft, by_rules: bool) -> str | None:
    content = one_line(draft.content)
    fewest = 4 if CJK.search(content) else 3
    is_short = len(WORD.findall(content)) < fewest and (by_rules or len(content.split()) < 2)
    if is_short and not draft.resolution.strip():
        return "too_short"
    if by_rules and _BOILERPLATE.match(content):
        return "boilerplate"
    if _is_private(f"{content} {one_line(draft.resolution)}", by_rules):
        return "private_not_shareable"
    # a ranked draft has a bound of its own (lessons.drafts.least_of), below this one where only an agent says it
    is_judged = draft.probability is not None or draft.cure == "claimed"
    return "low_confidence" if not is_judged and draft.confidence < MIN_CONFIDENCE else None


def _is_private(text: str, by_rules: bool) -> bool:
    placeholders = len(_PERSONAL_PLACEHOLDER.findall(text))
    words = len(WORD.findall(_PERSONAL_PLACEHOLDER.sub("", text)))
    if placeholders > 0 and placeholders * 6 > words:
        return True
    return any(by_rules or not _is_of_a_field(found, text) for found in _PRIVATE.finditer(text))


def _is_of_a_field(found: re.Match[str], text: str) -> bool:
    return found[0].lower().endswith(_TELLS) and _OWN_VALUE.match(text, found.end()) is None
