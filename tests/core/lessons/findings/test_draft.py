"""A finding as words that a stranger understands."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.findings.draft import finding_draft
from ultron_core.lessons.findings.find import Finding
from ultron_core.lessons.findings.listen import read_answers
from ultron_core.lessons.reading import read_segment


def draft(said, *places):
    """A memory of the sentences at these places of an answer."""
    messages = talk(("user", "How is the store built?"), (bash("ls"), "app.py"), ("assistant", said))
    reading = read_segment(messages, "unknown", "")
    (answer,) = (
        one for one in read_answers(reading.messages, reading.actions, reading.turns) if one.heard.closing
    )
    parts = tuple(part for at, part in enumerate(answer.parts) if not places or at in places)
    return finding_draft(Finding(answer, parts, "fact", 0.5), "")


def content(said, *places):
    return draft(said, *places).content


def test_a_point_stands_behind_the_point_that_it_is_set_in_below():
    said = "- **Download engine**\n  - resumes with `Range` headers\n  - deletes the part file after a 416\n"
    assert content(said) == (
        "Download engine: Resumes with `Range` headers; Deletes the part file after a 416"
    )


def test_the_second_of_two_lists_stands_behind_its_own_line():
    said = (
        "`collectRefs` looks for these:\n- `beq` and `bne` with a label\n\n"
        "It forgets these:\n- `bgeal` and `bleal` with a label\n"
    )
    assert content(said) == (
        "`collectRefs` looks for these: `beq` and `bne` with a label; "
        "It forgets these: `bgeal` and `bleal` with a label"
    )


def test_what_stands_below_another_heading_is_told_with_it():
    said = (
        "## Files\n\nThe pages are in `pages/` by module.\n\n## `devices.json`\n\nIt holds real addresses.\n"
    )
    assert content(said) == ("The pages are in `pages/` by module. `devices.json`: It holds real addresses.")


@pytest.mark.parametrize(
    ("lead", "told"),
    [
        ("Let me compare the two files:", ""),
        ("让我对比一下两个配置文件：", ""),
        ("I see it! The list is missing some names:", "The list is missing some names: "),
        ("It is missing some names:", "It is missing some names: "),
        ("I changed two rules of `refs.ts`:", "I changed two rules of `refs.ts`: "),
    ],
)
def test_what_the_agent_says_of_itself_leads_to_nothing(lead, told):
    assert content(f"{lead}\n- `bgeal` with a label\n", 1) == f"{told}`bgeal` with a label"


def test_a_line_that_is_told_is_not_told_twice():
    said = "The store has two tables:\n- `jobs` with a row for each run\n- `logs` with a row for each line\n"
    assert content(said).count("The store has two tables") == 1
    assert content(said) == content(said, 1, 2)


@pytest.mark.parametrize(
    ("headings", "told"),
    [
        ("## Queue\n\n### Status: solid", "Queue > Status: solid"),
        ("## Loading of data\n\n**建议**", "Loading of data"),  # says only what kind of words follow
        ("## 待处理变更\n\n**建议不要提交（有问题）：**", "待处理变更 > 建议不要提交（有问题）"),
        ("# Report\n\n## Queue\n\n### Locks", "Queue > Locks"),
    ],
)
def test_the_context_tells_the_headings_above(headings, told):
    context = draft(f"{headings}\n\nThe lock of `queue.py` is held by one worker.\n").context
    assert context.endswith((f"heading: {told}", f"所在标题：{told}"))


def test_a_lead_is_told_only_where_it_stands_as_a_word():
    said = "- API\n  - the rapid retry loop never waits for the lock\n"
    assert content(said) == "API: The rapid retry loop never waits for the lock"
