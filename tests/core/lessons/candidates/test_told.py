"""The fields of a candidate as prose, in its own language."""

import pytest

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.candidates.told import clip, plain, told


def candidate(source, text, **more):
    return Candidate(source, "agent", text, 0, 1, 1, **more)


@pytest.mark.parametrize(
    ("one", "content", "context"),
    [
        (
            candidate("turn", "Always run `make lint`.", answers="I commit now."),
            "A person told the agent: Always run `make lint`.",
            "The agent had said: I commit now.",
        ),
        (
            candidate("refusal", "Open a pull request.", answers="git push"),
            "A person refused to let `git push` run and said: Open a pull request.",
            "",
        ),
        (
            candidate("choice", "Redis: fast", answers="Which store?"),
            "Which store? — a person chose: Redis: fast",
            "",
        ),
        (
            candidate("guide", "- Never commit", head="Rules", answers="CLAUDE.md"),
            "Rules: Never commit",
            "Written rule for agents: CLAUDE.md",
        ),
        (
            candidate("closing", "The port was taken.", answers="Why does it fail?"),
            "The port was taken.",
            "A person had asked or reported: Why does it fail?",
        ),
        (candidate("turn", "以后都用中文回答。"), "用户告诉智能体：以后都用中文回答。", ""),
    ],
)
def test_each_source_has_its_sentence(one, content, context):
    assert told(one) == (content, context, "")


def test_a_cure_says_what_failed_what_changed_and_what_the_agent_made_of_it():
    one = candidate("cure", "No module named 'yaml'", answers="pytest", changes=("`pip install pyyaml`",))
    assert told(one) == (
        "`pytest` failed: No module named 'yaml'",
        "",
        "It worked after: `pip install pyyaml`.",
    )
    said = Candidate("cure", "tool", "No module", 0, 1, 1, answers="pytest", said="It is not installed.")
    assert told(said)[2] == "The agent's account: It is not installed."


def test_the_project_is_named():
    assert told(candidate("closing", "The port was taken."), "shop")[0] == "In shop: The port was taken."
    assert told(candidate("closing", "端口被占用了。"), "shop")[0] == "在 shop 中：端口被占用了。"


def test_marks_of_layout_go_and_code_stays():
    assert plain("- **Never** commit\n- [x] ✅ run `a * b * c`") == "Never commit; run `a * b * c`"
    assert (
        plain("## Cause\nThe port was taken\n\n## Fix\n1. Stop it")
        == "Cause: The port was taken; Fix: Stop it"
    )


def test_a_cut_falls_between_words():
    assert clip("one two three", 9) == "one two…"
    assert clip("one\ntwo", 9) == "one two"
