"""Reminders: a step that belongs to the routine of a project, said with an order."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.people.reminders import find_reminders
from ultron_core.lessons.people.turns import read_turns


def reminders(words):
    return find_reminders(read_turns(talk(("user", words))), "shop")


def test_a_reminder_is_told_with_the_order_it_came_with():
    words = "We are missing events for `shop watch`. Make sure you update docs/EVENTS.md with the new events."
    (draft,) = reminders(words)
    assert draft.content.endswith("Make sure you update docs/EVENTS.md with the new events")
    assert draft.memory_type == "pattern" and "shop watch" in draft.context
    assert draft.evidence[0].quote in words


def test_a_chinese_reminder_is_one_clause():
    words = (
        "帮我写 #packages/tabs 的 [react](packages/tabs/Tabs.react.tsx) 例子, 同时别忘了在 storybook 中注册哦"
    )
    (draft,) = reminders(words)
    assert draft.content == "在 shop 中，用户提醒智能体：别忘了在 storybook 中注册"
    assert "packages/…" in draft.context and "tabs" not in draft.context.casefold()


def test_the_same_reminder_with_the_next_order_is_the_same_memory():
    first, second = (
        reminders(
            f"参考 #packages/combobox 帮我写 #packages/{name} 的 lit 例子, 同时别忘了在 storybook 中注册哦"
        )
        for name in ("tabs", "slider")
    )
    assert (first[0].content, first[0].context) == (second[0].content, second[0].context)


@pytest.mark.parametrize(
    "words",
    [
        "make sure it works",
        "Did you make sure that `src/app.ts` compiles?",
        "别忘了吃饭",
        "You are a reviewer. Make sure you read `src/app.ts` in full.",
    ],
)
def test_what_names_nothing_asks_or_instructs_a_program_is_none(words):
    assert reminders(words) == []
