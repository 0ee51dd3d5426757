"""The agent's account of a fault: its cause and what was done, never a plan."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.errors.told.accounts import find_account
from ultron_core.lessons.errors.told.asserted import is_told


def account(answer, about="`watch` fails when the folder goes away"):
    return find_account(talk(("assistant", answer)), 0, 9, about)


def test_cause_and_fix():
    found = account(
        "The problem is that `ensureFolder` runs at the start only.\n"
        "I fixed it in `paths.go` by calling `ensureFolder` before each write.\n"
        "All tests pass. Would you like me to commit?"
    )
    assert found.cause == "The problem is that `ensureFolder` runs at the start only."
    assert found.fix == "I fixed it in `paths.go` by calling `ensureFolder` before each write."


def test_labels_count_as_cues():
    found = account(
        "### 修复 `pressKey` 的竞态条件\n\n**原因**：`pressKey` 连续发送事件，UI 还没有更新。\n\n"
        "**解决方案**：在每次按键后等待 `requestAnimationFrame` 两次：",
        "on arrow right `pressKey` loop focus",
    )
    assert found.cause == "`pressKey` 连续发送事件，UI 还没有更新。"
    assert found.fix.startswith("在每次按键后等待")


def test_of_two_faults_the_part_about_this_one_speaks():
    answer = (
        "### 1. `pressKey`\n**Cause**: `pressKey` sends the next key before the interface is updated.\n"
        "### 2. `hooks.spec.ts`\n**Cause**: the browser run includes `hooks.spec.ts` without a transform for Solid.\n"
    )
    assert "Solid" in account(answer, "No test suite found in hooks.spec.ts").cause
    assert "next key" in account(answer, "pressKey loses the focus").cause


def test_the_thoughts_glued_to_an_answer_are_left_out():
    found = account(
        "**Reading files****Planning the fix**The label still had `htmlFor`, so the click never fired.",
        "click",
    )
    assert found.cause == "The label still had `htmlFor`, so the click never fired."


@pytest.mark.parametrize(
    "plan",
    [
        "I’m planning to create a small script that logs `getProps`.",
        "To fix it, I'll include `readOnly` only when it is true.",
        "It looks like the problem is that `Element` is missing.",
        "I added regression tests in `props.test.ts` to catch this.",
        "我将添加 shim 文件并在 `astro.config.mjs` 中加入 alias。",
        "可以改为手动 link：`{ link: '/a' }`。",
    ],
)
def test_plans_guesses_and_tests_are_no_cure(plan):
    assert not is_told(plan)
    assert account(plan) is None


def test_what_only_watches_the_program_is_no_cure():
    assert account("Let's set a breakpoint in `watch`:\n```php\nxdebug_break();\n```") is None
    assert account("在 `watch` 中添加日志输出：\n```js\nconsole.log(1)\n```") is None
    assert account("Let's add debug statements in `watch`:\n```js\nconsole.log(1)\n```") is None
    assert account("Change the log directory in `app.conf`:\n```\nlog_dir = /var/app\n```") is not None
