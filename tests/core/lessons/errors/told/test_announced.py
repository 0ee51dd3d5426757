"""Causes that the agent announces or labels as such."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.errors.told.announced import announced_cause, last_announced

WRAPPER = "Superset's wrapper sources `~/.zshrc` but there's no `.zshenv` wrapper in `~/.superset/zsh/`."


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (f"Found the issue. {WRAPPER}\n\nWant me to create it?", WRAPPER),
        (
            "## 问题总结\n\n**影响**：无法上传\n**原因**：Storage 中缺少 `knowledge-files` bucket",
            "Storage 中缺少 `knowledge-files` bucket",
        ),
        (
            "## Root cause\n\n```83:85:src/kb.ts\nawait storage\n```\nThe bucket `kb` was never created.",
            "The bucket `kb` was never created.",
        ),
        (
            "Now I understand what's happening! We first:\n\n1. clone with `git.clone`\n2. branch with `git.branch`\n\n"
            "The problem is in the order of operations. `git.branch` fails because `db.add` comes after it.",
            "The problem is in the order of operations. `git.branch` fails because `db.add` comes after it.",
        ),
    ],
)
def test_the_sentence_after_the_announcement_or_behind_the_label(answer, cause):
    found = announced_cause(answer)
    assert found is not None and found[0] == cause
    assert found[1] in answer


@pytest.mark.parametrize(
    "answer",
    [
        "I see the problem now. Let me fix `main.go`.",
        "I found the bug. It might be the cache in `store.py`, which is not cleared.",
        "The parser in `read.py` does not keep the tags.",
        "我发现了问题。`MockService` 理论上不应该被加载。",
    ],
)
def test_a_plan_a_guess_and_what_nobody_announced_are_no_cause(answer):
    assert announced_cause(answer) is None


def test_what_was_found_last_counts():
    messages = talk(
        ("user", "Upload fails."),
        ("assistant", "Found the issue. The limit in `nginx.conf` is not raised."),
        ("assistant", "I see what's wrong now. The bucket `kb` was never created."),
    )
    found = last_announced(messages, 1, len(messages))
    assert found is not None and (found.text, found.position) == ("The bucket `kb` was never created.", 2)


def test_why_something_failed_wherever_it_stands():
    cause, _ = announced_cause(
        "The plan stays.\n`fly deploy` failed because `fly.toml` names no app. Next I read it."
    )
    assert cause == "`fly deploy` failed because `fly.toml` names no app."
    assert announced_cause("`fly deploy` may have failed because the token is old.") is None


def test_a_cause_is_told_with_its_consequence():
    cause, quote = announced_cause(
        "找到原因了！`panel.js` 手动切换 `open` 属性。但组件自己也会切换，导致两次抵消。"
    )
    assert cause == "`panel.js` 手动切换 `open` 属性。但组件自己也会切换，导致两次抵消。"
    assert quote == "但组件自己也会切换，导致两次抵消。"
