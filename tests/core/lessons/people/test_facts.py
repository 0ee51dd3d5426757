"""Facts: what a hook refuses, what a service tells its customers."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.people.facts import find_policies, find_refusals
from ultron_core.transcript.actions import read_actions


def test_a_hook_that_refuses_a_change():
    output = "husky - pre-commit hook exited with code 1 (error)\nsubject must be lower-case"
    messages = talk(("user", "Commit it."), (bash("git commit -m 'Fix'"), f"Exit code 1\n{output}"))
    (draft,) = find_refusals(messages, read_actions(messages), "shop")
    assert "pre-commit hook exited" in draft.content and "git commit" in draft.content
    assert draft.evidence[0].quote in messages[-1].content


def test_a_rule_of_the_house_without_the_case_of_one_customer():
    rule = "Unfortunately, basic economy tickets cannot be canceled after 24 hours."
    case = "Your reservation ABC123 cannot be modified under the policy."
    (draft,) = find_policies(talk(("user", "Cancel it"), ("assistant", f"{rule} {case}")), work=False)
    assert draft.content == "basic economy tickets cannot be canceled after 24 hours."
