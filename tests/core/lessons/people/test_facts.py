"""Facts: what a person states of the project, what a hook refuses, what a service tells its customers."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.people.facts import find_facts, find_policies, find_refusals
from ultron_core.lessons.people.turns import read_turns
from ultron_core.transcript.actions import read_actions


def facts(words):
    return find_facts(read_turns(talk(("user", words))), "shop")


@pytest.mark.parametrize(
    "sentence",
    [
        "The billing library is at ../../billing-lib and is built separately.",
        "The priority is flags -> local project file -> home file.",
        "The watch command moved out of `main.go` into `cmd/watch.go`.",
        "The admin API listens on port 8081 and needs Node v20.1 for it.",
        "项目使用 `pnpm` 管理依赖，构建脚本位于 scripts/build.ts。",
    ],
)
def test_a_statement_about_the_project(sentence):
    (draft,) = facts(sentence)
    assert draft.memory_type == "pattern" and draft.tags == ("fact",)
    assert "shop" in draft.content and draft.evidence[0].quote in sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Where is the file `src/main.py` located?",
        "I ran the tool in ~/src/shop and got this.",
        "Please put it in `src/main.py`.",
        "We use it a lot.",
        "If this is a private repository, see https://example.org/help for more.",
    ],
)
def test_questions_orders_and_events_are_no_facts(sentence):
    assert facts(sentence) == []


def test_a_hook_that_refuses_a_change():
    output = "husky - pre-commit hook exited with code 1 (error)\nsubject must be lower-case"
    messages = talk(("user", "Commit it."), (bash("git commit -m 'Fix'"), f"Exit code 1\n{output}"))
    (draft,) = find_refusals(messages, read_actions(messages), "shop")
    assert "pre-commit hook exited" in draft.content and "git commit" in draft.content
    assert draft.evidence[0].quote in messages[-1].content


def test_a_rule_of_the_house_without_the_case_of_one_customer():
    rule = "Unfortunately, basic economy tickets cannot be canceled after 24 hours."
    case = "Your reservation ABC123 cannot be modified under the policy."
    (draft,) = find_policies(talk(("user", "Cancel it"), ("assistant", f"{rule} {case}")))
    assert draft.content == "basic economy tickets cannot be canceled after 24 hours."
