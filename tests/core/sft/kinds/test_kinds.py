"""Preference and outcome datasets: which runs meet, what the rows hold, and that the same rules hold for them."""

from dataclasses import replace

import pytest

from tests.support.rows import MANIFEST, assistant, build, candidate, result, user
from ultron_core.models import ToolCall
from ultron_core.sft import BuildConfig, counts_by_reason, read_rows, verify_dataset, write_dataset

PREFERENCE, OUTCOME = BuildConfig(kind="preference"), BuildConfig(kind="outcome")


def run(number, succeeded, *, task="what is the tallest mountain of Peru?", said="", session=None, **more):
    """A run of a task: a call, its result, an answer; the words differ from run to run."""
    words = " ".join(f"{said or f'run{number}'}x{n}" for n in range(30))
    call = ToolCall("a", "look_up", {"q": words[:60]})
    messages = (user(task), assistant("", call), result("a", f"found {number}"), assistant(f"It is {words}."))
    session = session or f"s{number}"
    return candidate(number, *messages, succeeded=succeeded, session=session, **more)


def pairs(candidates, config=PREFERENCE):
    return [(row.chosen_id, row.rejected_id) for row in build(candidates, config).rows]


def test_a_run_that_worked_meets_runs_of_its_task_that_failed():
    runs = [run(1, True), run(2, False), run(3, False), run(4, True, task="sort this list of names")]
    built = build(runs, PREFERENCE)
    assert [(row.chosen_id, row.rejected_id) for row in built.rows] == [
        ("seg-001", "seg-002"),
        ("seg-001", "seg-003"),
    ]
    row = built.rows[0]
    assert [m["role"] for m in row.prompt] == ["user"] and row.made_from == "runs"
    assert [m["role"] for m in row.chosen] == ["assistant", "tool", "assistant"]
    assert counts_by_reason(built.rejects) == {"no_counterpart": 1}
    assert built.considered == 4


def test_runs_that_ended_alike_never_meet():
    assert pairs([run(1, True), run(2, True)]) == [] == pairs([run(1, False), run(2, False)])


def test_two_wire_formats_of_one_run_never_meet_even_when_they_are_judged_differently():
    assert pairs([run(1, True, said="same"), run(2, False, said="same")]) == []
    # the better one stays and meets another run
    found = pairs([run(1, True, said="same"), run(2, False, said="same"), run(3, False)])
    assert [rejected for _, rejected in found] == ["seg-003"]


def test_a_task_has_a_most_of_pairs_and_each_worked_run_gets_its_turn():
    runs = [run(n, n <= 2) for n in range(1, 9)]
    found = pairs(runs, replace(PREFERENCE, pairs_per_task=4))
    assert len(found) == 4 and {chosen for chosen, _ in found} == {"seg-001", "seg-002"}


def test_runs_that_were_asked_in_other_words_make_no_pair():
    """They are one task, but one prompt cannot stand for both."""
    built = build(
        [run(1, True), run(2, False, task="Please, what is the tallest mountain of Peru?")], PREFERENCE
    )
    assert len(built.rows) == 0 and counts_by_reason(built.rejects) == {"prompts_differ": 2}


@pytest.mark.parametrize(("answer", "pairs"), [("author", 0), ("the author", 1)])
def test_runs_that_end_with_the_same_call_but_for_a_plural_say_nothing(answer, pairs):
    def ended(number, succeeded, said):
        words = " ".join(f"n{number}x{n}" for n in range(40))
        finish = ToolCall("a", "finish", {"answer": said})
        asked = user("what are they best known for?")
        return candidate(number, asked, assistant(words, finish), succeeded=succeeded, session=f"s{number}")

    built = build([ended(1, True, answer), ended(2, False, "authors")], PREFERENCE)
    assert len(built.rows) == pairs
    assert counts_by_reason(built.rejects) == ({} if pairs else {"ends_alike": 2})


def test_what_both_runs_begin_with_is_part_of_the_prompt():
    def begun(number, succeeded):
        first = (user("count the files"), assistant("", ToolCall("a", "ls", {})), result("a", "3 files"))
        words = " ".join(f"n{number}x{n}" for n in range(40))
        return candidate(number, *first, assistant(words), succeeded=succeeded, session=f"s{number}")

    (row,) = build([begun(1, True), begun(2, False)], PREFERENCE).rows
    assert [m["role"] for m in row.prompt] == ["user", "assistant", "tool"]
    assert [m["role"] for m in row.chosen] == ["assistant"] == [m["role"] for m in row.rejected]


def test_a_corrected_answer_meets_its_correction_alone():
    asked = user("name the largest lake of Peru")
    first, better = (" ".join(f"{word}{n}" for n in range(20)) for word in ("wrong", "right"))
    sides = {
        "twin": lambda other: f"seg-001:{other}",
        "messages": {"first": (asked, assistant(first)), "corrected": (asked, assistant(better))},
    }
    made = [
        replace(
            candidate(1, *sides["messages"][kind], session="s1"),
            segment_id=f"seg-001:{kind}",
            succeeded=kind == "corrected",
            twin=sides["twin"](other),
        )
        for kind, other in (("first", "corrected"), ("corrected", "first"))
    ]
    whole = replace(
        candidate(1, asked, assistant(first), user("No."), assistant(better), session="s1"), succeeded=True
    )
    built = build([*made, whole], PREFERENCE)
    (row,) = built.rows
    assert (row.chosen_id, row.rejected_id, row.made_from) == (
        "seg-001:corrected",
        "seg-001:first",
        "corrected",
    )
    assert built.considered == 1 and list(built.rejects) == [], "one segment, and it ships"


def test_outcomes_keep_every_run_with_its_verdict():
    built = build([run(1, True), run(2, False)], OUTCOME)
    assert [(row.id, row.label) for row in built.rows] == [("seg-001", True), ("seg-002", False)]
    row = built.rows[0]
    assert [m["role"] for m in row.prompt] == ["user"] and row.completion[-1]["role"] == "assistant"


@pytest.mark.parametrize("kind", ["preference", "outcome"])
def test_the_folder_reads_back_keeps_the_rules_and_joins_a_task_in_one_split(kind, tmp_path):
    runs = [
        run(10 * task + n, n < 2, task=f"what is the tallest mountain of country{task}?")
        for task in range(12)
        for n in range(4)
    ]
    config = BuildConfig(kind=kind, validation_share=0.4)
    built = build(runs, config)
    manifest = write_dataset(tmp_path / "v1", built, {**MANIFEST, "kind": kind})
    assert verify_dataset(tmp_path / "v1") == []
    assert manifest["considered"] == 48 == manifest["segments"] + sum(manifest["rejects"].values())
    rows = read_rows(tmp_path / "v1")
    assert len(rows) == len(built.rows) and {row["split"] for row in rows} == {"train", "validation"}
    sides = {}
    for row in rows:
        assert sides.setdefault(row["task_key"], row["split"]) == row["split"]
    names = {"preference": {"prompt", "chosen", "rejected"}, "outcome": {"prompt", "completion", "label"}}[
        kind
    ]
    assert names <= rows[0].keys() and "messages" not in rows[0]
    line = (tmp_path / "v1" / "flavours" / "swift" / "train.jsonl").read_text().splitlines()[0]
    assert ('"rejected_messages"' in line) == (kind == "preference") and ('"label"' in line) == (
        kind == "outcome"
    )


def test_a_task_in_both_splits_and_a_bad_turn_break_their_rules(tmp_path):
    built = build([run(1, True), run(2, False)], PREFERENCE)
    good = built.rows[0]
    folder = tmp_path / "v1"
    bad = [good, replace(good, id="two", split="validation", chosen=good.rejected, rejected=good.chosen)]
    write_dataset(folder, replace(built, rows=bad), {**MANIFEST, "kind": "preference"})
    found = " ".join(verify_dataset(folder))
    assert "rule 18: two: task_key" in found and "rule 20: two: the content" in found
    bad = [replace(good, id="two", rejected=(*good.rejected, good.rejected[-1]))]
    write_dataset(tmp_path / "v2", replace(built, rows=bad), {**MANIFEST, "kind": "preference"})
    assert "rule 8: two: two assistant messages" in " ".join(verify_dataset(tmp_path / "v2"))
