"""What was done about a cause that the agent names in another sentence or message."""

import dataclasses

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.findings.cures import cure_of, with_cures
from ultron_core.lessons.findings.draft import finding_draft
from ultron_core.lessons.findings.find import Finding, find_findings
from ultron_core.lessons.findings.listen import read_answers
from ultron_core.lessons.findings.reader import load_answer_model
from ultron_core.lessons.reading import read_segment

CAUSE = "The build fails because the fixture `rich_texts.yml` belongs to a table that the installer never created."
CURE = "Removed the fixture `rich_texts.yml`, and the installer no longer writes it."


def told(*said, request="Why does the build fail?"):
    """The draft of the first cause in what is said after one failing call."""
    failed = (bash("rake test"), "Traceback (most recent call last):\nValueError: no such table: rich_texts")
    reading = read_segment(talk(("user", request), failed, *said), "unknown", "shop")
    model = dataclasses.replace(load_answer_model(), bound=0.05, remark=0.05, beside=0.9)
    judged = [model.judge(one) for one in read_answers(reading.messages, reading.actions, reading.turns)]
    cause = next(one for one in find_findings(judged, model) if CAUSE in one.words)
    cause = dataclasses.replace(cause, kind="error")
    return finding_draft(cause, "shop", cure_of(cause, judged))


@pytest.mark.parametrize(
    "said",
    [
        (("assistant", f"{CAUSE}\n\nThe rest of the tests never ran.\n\n{CURE}"),),
        (("assistant", CAUSE), (bash("rm test/fixtures/rich_texts.yml"), "ok"), ("assistant", CURE)),
    ],
)
def test_the_cure_is_found_further_down_and_in_a_later_message(said):
    draft = told(*said)
    assert CURE in draft.resolution and "The agent's account" in draft.resolution
    assert [item.quote for item in draft.evidence] == [CAUSE, CURE]


@pytest.mark.parametrize(
    "done",
    [
        "I've fixed the key issues of your setup.",  # says nothing
        "Added a dark theme to `style.css`.",  # something else
        "Changed how the installer of the fixture `rich_texts.yml` works, which now does:\n\n- nothing",  # cut
        "I will remove the fixture `rich_texts.yml` of the installer next.",  # a plan
    ],
)
def test_what_says_nothing_of_it_is_no_cure(done):
    assert told(("assistant", CAUSE), ("assistant", done)).resolution == ""


def test_what_is_done_for_the_next_order_is_no_cure():
    assert told(("assistant", CAUSE), ("user", "Write the README."), ("assistant", CURE)).resolution == ""


def test_what_had_failed_is_told_with_the_cause():
    assert "What had failed: ValueError: no such table" in told(("assistant", CAUSE)).context
    elsewhere = (bash("ls /opt/colours"), "ls: cannot access '/opt/colours': No such file or directory")
    assert "What had failed" not in told(elsewhere, ("assistant", CAUSE)).context
    again = told(("assistant", CAUSE), request="Why does it say ValueError: no such table: rich_texts?")
    assert again.context.count("no such table") == 1


def test_a_labelled_cure_of_another_section_is_not_its_own():
    other = "- **Cause**: the token of `auth.ts` expires.\n- **Fix**: Raised the lifetime of the token in `auth.ts`."
    assert told(("assistant", f"## Build\n\n{CAUSE}\n\n## Login\n\n{other}")).resolution == ""
    own = "**Fix**: Raised the limit of `auth.ts`, see above."
    assert "Raised the limit" in told(("assistant", f"## Build\n\n{CAUSE}\n\n{own}")).resolution


@pytest.mark.parametrize(
    "then",
    [
        (("assistant", f"{CURE}\n\nWait, the installer still needs that file, so I put it back."),),
        (
            ("assistant", CURE),
            ("user", "revert that, I want the installer to create the table"),
        ),
    ],
)
def test_a_cure_that_is_taken_back_or_rejected_is_not_told(then):
    assert told(("assistant", CAUSE), (bash("git status"), "clean"), *then).resolution == ""


def test_what_is_only_the_cure_of_another_is_no_memory_of_its_own():
    failed = (bash("rake test"), "Traceback (most recent call last):\nValueError: no such table: rich_texts")
    said = ("assistant", f"{CAUSE}\n\nThe rest of the tests never ran.\n\n{CURE}")
    reading = read_segment(talk(("user", "Why does the build fail?"), failed, said), "unknown", "shop")
    model = dataclasses.replace(load_answer_model(), bound=0.05, remark=0.05, beside=0.9)
    judged = [model.judge(one) for one in read_answers(reading.messages, reading.actions, reading.turns)]
    found = [dataclasses.replace(one, kind="error") for one in find_findings(judged, model)]
    assert CURE in [one.words for one in found]
    assert [one.words for one, _ in with_cures(found, judged) if CURE in one.words] == []


@pytest.mark.parametrize(
    "beside",
    [
        "I also removed `single.ts` that an earlier download left behind.",  # done, but about something else
        "由于夹具 `rich_texts.yml` 没有表，installer 会把它替换为空值。",  # explains
    ],
)
def test_a_sentence_beside_the_cause_that_is_no_cure_of_it_stays_with_the_cause(beside):
    draft = joined(CAUSE, beside)
    assert beside in draft.content and draft.resolution == ""


def test_a_cure_beside_the_cause():
    assert CURE in joined(CAUSE, CURE).resolution


def test_a_later_message_must_name_more_of_the_cause_than_a_label_does():
    other = "Added the table of the installer to `README.md`."
    step = (bash("git status"), "clean")
    assert told(("assistant", CAUSE), step, ("assistant", other)).resolution == ""
    named = "**Fix**: Added `rich_texts` to the tables of the installer."
    assert "rich_texts" in told(("assistant", CAUSE), step, ("assistant", named)).resolution


def test_a_labelled_cure_of_a_later_message_shares_a_name_not_only_words():
    other = "- **Solution**: The installer of the `auth_id` column now checks the fixture order."
    assert told(("assistant", CAUSE), ("assistant", f"All fixed.\n\n{other}")).resolution == ""
    own = "- **Solution**: Removed `rich_texts.yml` from the list of fixture files."
    assert "rich_texts" in told(("assistant", CAUSE), ("assistant", f"All fixed.\n\n{own}")).resolution


def test_what_is_only_proposed_is_no_cure():
    proposed = f"{CAUSE}\n\n## Suggested next steps\n\n{CURE}"
    assert told(("assistant", proposed)).resolution == ""


def joined(*sentences):
    """The draft of a cause whose finding holds these sentences of one message."""
    reading = read_segment(talk(("user", "Why?"), ("assistant", " ".join(sentences))), "unknown", "shop")
    (answer,) = read_answers(reading.messages, reading.actions, reading.turns)
    return finding_draft(Finding(answer, answer.parts, "error", 0.8), "shop")
