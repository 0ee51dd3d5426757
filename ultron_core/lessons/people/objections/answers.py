"""What an objection is about, and what the agent then did or answered, by its own account."""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.lessons.describe import EDIT, path_of
from ultron_core.lessons.explanations import clip
from ultron_core.lessons.findings.said import statements
from ultron_core.lessons.findings.shape import setting_of, stands_alone
from ultron_core.lessons.findings.worth import worth
from ultron_core.lessons.people.objections.complaints import told_in
from ultron_core.lessons.people.statements import named, nearest, shares_term
from ultron_core.lessons.people.turns import Turn
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.commands import command_of
from ultron_core.transcript.language import language
from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.speech import any_of

__all__ = ["answered", "disputed_context"]

#: a statement of the agent's answer that is worth less says nothing of what was done (docs/people.md)
_WORTH = 0.5
#: tells a change, e.g. `Removed the replace directive`, `now uses slog`, `已改为 slog`
_ACT = any_of(
    r"\b(?:added|removed|deleted|moved|replaced|renamed|changed|updated|switched|reverted|rewrote|fixed|dropped|"
    r"split|merged|now)\b",
    r"已(?!知|有)|改为|改成|移除|删除|替换|更新|现在",
)
#: defends what was objected to, e.g. `The change is intentional and doesn't need to be addressed`, `无需修改`
_DEFENDS = any_of(
    r"\b(?:intentional(?:ly)?|works as intended|no (?:change|action|fix)s? (?:is |are )?(?:needed|required)|"
    r"(?:does not|doesn't|do not|don't) need)\b",
    r"无需|不需要(?:修改|改动|处理)|是故意的|符合预期",
)
#: turns after an answer in which a person may take it back
_TAKEN_BACK = 3


def answered(messages: Sequence[Message], turns: Sequence[Turn], turn: Turn, told: str) -> tuple[str, str]:
    """What the agent said it did, or answered, about an objection, as a sentence of a memory, with its quote; empty
    where the person did not let it stand, or where it speaks of other things."""
    if turn.answer < 0 or turn.objected or messages[turn.answer].tool_calls:
        return "", ""
    content = messages[turn.answer].content
    quotes = {
        one.text: one.quote
        for one in statements(content)
        if stands_alone(one.text)
        and shares_term(one.text, told)
        and not _DEFENDS.search(one.text)
        and worth(one.text, setting_of(one, content)) >= _WORTH
    }
    best = nearest(list(quotes), told)
    if not best or _taken_back(turns, turn, best):
        return "", ""
    key = "then_did" if _ACT.search(best) else "account"
    return PHRASES[language(told)][key].format(statement=best), quotes[best]


def _taken_back(turns: Sequence[Turn], turn: Turn, answer: str) -> bool:
    """True when one of the next turns objects to something that the answer names."""
    later = [one for one in turns if one.position > turn.position][:_TAKEN_BACK]
    names = named(answer)
    return any(
        (one.does("objection") or one.stopped) and not names.isdisjoint(named(one.message.content))
        for one in later
    )


def disputed_context(
    messages: Sequence[Message], actions: Sequence[Action], turn: Turn, objection: str
) -> str:
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
    told = [s for s in told_in(answer) if len(s) >= 30 and s[-1] not in "?？:：" and s[0] not in "-*"]
    return nearest(told, objection)
