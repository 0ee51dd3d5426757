"""Which sentences of a message make one memory."""

import numpy as np

from ultron_core.lessons.findings.answers import parts_of
from ultron_core.lessons.findings.together import together, with_code

LIST = (
    "The sync stops in three cases that nobody sees:\n"
    "- the lock file of another run was left behind\n"
    "- `queue.toml` names a database that is gone\n"
    "- the token of the worker has expired\n"
)


def group(content, *, likely=(0,), seed=0, beside=0.3):
    parts = parts_of(content)
    keep = np.array([0.5 if at in likely else 0.1 for at in range(len(parts))])
    return [parts[at].text for at in together(parts, keep, seed, set(), beside, content)]


def test_a_likely_sentence_takes_its_likely_neighbours_along():
    said = "The lock is held by the old worker. The new one waits for it for an hour. Tests are green now."
    assert group(said, likely=(0, 1)) == [part.text for part in parts_of(said)[:2]]
    assert len(group(said, likely=(0, 1), beside=0.6)) == 1


def test_a_line_that_leads_to_a_list_takes_all_its_points_along():
    assert len(group(LIST, likely=(0, 1), seed=1)) == 4


def test_a_line_that_leads_to_a_long_list_is_left_out():
    long = LIST + "".join(f"- case {number} of the table that was found in the log\n" for number in range(6))
    assert group(long, likely=(0,)) == []


def test_a_point_alone_stays_alone():
    assert group(LIST, likely=(2,), seed=2) == ["`queue.toml` names a database that is gone"]


def test_a_sentence_that_leads_to_a_line_of_code_takes_it_along():
    said = "The preview of the pages is started with:\n```bash\nnpx next dev -p 3000\n```\nIt takes a minute."
    (first, *_) = parts_of(said)
    assert with_code(first, said).text == "The preview of the pages is started with: `npx next dev -p 3000`"
    assert group(said) == [first.text]


def test_a_long_block_of_code_is_no_part_of_a_sentence():
    code = "".join(f"step {number}\n" for number in range(9))
    said = f"The preview of the pages is started with:\n```bash\n{code}```\n"
    (first, *_) = parts_of(said)
    assert with_code(first, said) is first
    assert group(said) == []


def test_what_goes_on_within_a_point_of_a_list_begins_where_the_point_does():
    said = (
        "- The lock of the queue is held by the old worker. The new one waits for it for an hour.\n"
        "- Tests are green now.\n"
    )
    assert group(said, likely=(1,), seed=1) == [part.text for part in parts_of(said)[:2]]


def test_a_plan_is_no_beginning_of_a_point():
    said = "- Let me look at the queue of the worker. The new one waits for the lock for an hour.\n"
    assert group(said, likely=(1,), seed=1) == ["The new one waits for the lock for an hour."]


def test_what_leads_to_code_and_what_follows_the_code_are_two():
    code = "".join(f"step {number}\n" for number in range(9))
    said = f"The lock is set by this script:\n```bash\n{code}```\nThe queue is emptied by the timer."
    assert group(said, likely=(0, 1), seed=1) == ["The queue is emptied by the timer."]


def test_what_leads_to_an_address_and_what_follows_it_are_two():
    said = "The pages are built by this fork:\n<https://example.com/fork>\nThe queue is emptied by the timer."
    assert group(said, likely=(0, 1), seed=1) == ["The queue is emptied by the timer."]


def test_a_list_of_which_most_points_are_kept_is_told_as_a_whole():
    points = [part.text for part in parts_of(LIST)[1:]]
    assert group(LIST, likely=(1, 2), seed=1) == points
    assert group(LIST, likely=(2,), seed=2) == points[1:2]
    below = "Two of these were seen on Friday:\n- the queue was locked\n- the disk was full\n"
    assert group(LIST + below, likely=(1, 2), seed=1) == points


def test_a_plan_is_not_taken_along_with_a_list():
    said = (
        "What I found:\n- The queue is locked by the old worker.\n- The disk is full of old pages.\n"
        "- Next I will look at the timer of the queue.\n"
    )
    assert group(said, likely=(0, 1), seed=0) == [part.text for part in parts_of(said)[:2]]
