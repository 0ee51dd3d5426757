"""Lessons of groups of agents: what fires, where the evidence points, and what stays silent."""

import pytest

from ultron_core.lessons.groups.loops import hit_line
from ultron_core.lessons.groups.mistakes import find_group_mistakes
from ultron_core.memories import gate_draft
from ultron_core.models import as_messages
from ultron_core.transcript.actions import read_actions

TASK = {"role": "user", "content": "Which of the two homes sold for more in 2022?", "name": "Manager"}


def agent(name, text):
    return {"role": "assistant", "name": name, "content": text}


def shell(output):
    return {
        "role": "tool",
        "name": "Terminal",
        "content": f"exitcode: 0 (execution succeeded)\nCode output: {output}",
    }


def code(*lines):
    body = "\n".join(lines)
    return f"I will run this.\n```python\n{body}\n```"


def mistakes(messages, *, failed):
    outcome = "failure" if failed else "unknown"
    return find_group_mistakes(messages, read_actions(messages), outcome)


def kinds(*turns, failed=False):
    messages = as_messages([TASK, *turns, agent("Listener", "Thank you.")])
    drafts = mistakes(messages, failed=failed)
    assert all(gate_draft(draft, messages) is None for draft in drafts)
    return {draft.tags[0]: draft for draft in drafts}


COUNT = code(
    "import data", "homes = data.load('homes')", "total = sum(h.price for h in homes)", "print(total)"
)


def test_a_conclusion_that_no_tool_checked():
    found = kinds(
        agent(
            "Estate_Expert",
            "Therefore the home with the higher price is the one on Komo Mai Drive.",
        ),
        agent("Checker", "The sale price has been verified and the answer is Komo Mai Drive."),
    )
    assert [e.start_line for e in found["unverified"].evidence] == [2, 3]


def test_invented_data():
    found = kinds(
        agent("Expert", "Since the site is down, I will assume a price of 900000 for the second home.")
    )
    assert "made-up data" in found["unverified"].content


def test_a_script_that_came_back_empty():
    found = kinds(
        agent("Coder", COUNT), shell("[]"), agent("Coder", "There is nothing; I go on with the next page.")
    )
    assert [e.quote for e in found["empty-result"].evidence] == ["print(total)", "Code output: []"]


def test_a_script_that_prints_something_is_not_empty():
    assert kinds(agent("Coder", COUNT), shell("1850000"), agent("Coder", "Next page.")) == {}


def test_the_same_code_run_again_as_a_check():
    found = kinds(agent("Coder", COUNT), shell("4"), agent("Checker", COUNT), shell("4"))
    assert len(found["unverified"].evidence) == 4
    assert "same code" in found["unverified"].content
    assert kinds(agent("Coder", COUNT), shell("4"), agent("Checker", COUNT), shell("5")) == {}


HITS = (
    "Here is a screenshot of [homes 2022 - Search](https://www.bing.com/search?q=homes+2022&form=x). "
    + "Komo Mai Drive sold for 950,000. " * 15
)


def test_an_answer_out_of_a_list_of_hits():
    found = kinds(
        agent("Surfer", HITS), agent("Leader", "We have found that the home on Komo Mai Drive sold for more.")
    )
    assert "search results" in found["unverified"].content


def test_a_source_that_was_opened_is_enough():
    page = "Address: https://example.org/homes\n" + "Komo Mai Drive sold for 950,000. " * 20
    said = agent("Leader", "We have found that the home on Komo Mai Drive sold for more.")
    assert kinds(agent("Surfer", HITS), agent("Surfer", page), said) == {}


ASK = "Please open the listing page of the home in Pearl City and read its sale price of 2022."


def test_the_same_request_three_times():
    found = kinds(
        agent("Leader", ASK),
        agent("Surfer", "I scrolled down."),
        agent("Leader", ASK.replace("Please open", "Please look at")),
        agent("Surfer", "I scrolled down."),
        agent("Leader", ASK.replace("read", "copy")),
    )
    assert [e.start_line for e in found["repetition"].evidence] == [2, 6]


@pytest.mark.parametrize(
    "items",
    [
        ("'Road to Perdition'", "'Enduring Love'", "'Layer Cake'"),
        ("Muscle Gym, Ohio Gym, Cage Fitness, Crunch", "Cage Fitness, Crunch", "Crunch"),
    ],
)
def test_a_list_that_is_worked_off_is_not_repetition(items):
    turns = [
        agent("Leader", f"Please check the availability of {item} on the site of the shop.") for item in items
    ]
    assert kinds(*turns) == {}


def test_a_single_assistant_is_not_a_group():
    messages = as_messages(
        [TASK, {"role": "assistant", "content": "Thus the answer is Komo Mai Drive, I assume."}]
    )
    assert mistakes(messages, failed=True) == []


@pytest.mark.parametrize(
    "page", ["Search Result 1: Homes on Komo Mai Drive", "Results 1-10 of 2,300 for homes", "Result 1 to 5"]
)
def test_a_list_of_hits_is_known_by_its_form_whoever_prints_it(page):
    """Tools name their lists differently; what they share is that hits are numbered from one."""
    assert hit_line(as_messages([agent("Surfer", page)])[0]) == page
    assert hit_line(as_messages([agent("Surfer", "The results of 2022 are in the table.")])[0]) == ""


@pytest.mark.parametrize("frame", ["Code output:", "Program output:", "stdout:"])
def test_the_frame_of_an_output_is_not_an_output(frame):
    output = {"role": "tool", "name": "Terminal", "content": f"exitcode: 0 (execution succeeded)\n{frame}"}
    assert "empty-result" in kinds(agent("Coder", COUNT), output, agent("Coder", "On to the next page."))


def test_one_name_is_not_a_group():
    """Some logs sign every answer with the name of the one agent there is."""
    alone = as_messages([{**TASK, "name": None}, *[agent("Bot", "Therefore the answer is Komo Mai.")] * 2])
    assert mistakes(alone, failed=True) == []
