"""Which rows are trained on, and which are measured by: the sides of the split never change."""

from ultron_core.training.plan import Known, make_plan
from ultron_core.training.records import RowRef


def row(content, group=None, split="train"):
    return RowRef(f"segment-{content}", content, group or f"group-{content}", split)


def contents(rows):
    return [one.content for one in rows]


def test_a_first_run_takes_the_dataset_s_own_split():
    plan = make_plan([row("a"), row("b"), row("c", split="validation")], Known())
    assert (contents(plan.train), contents(plan.validation), plan.new) == (["a", "b"], ["c"], 2)


def test_a_content_counts_once():
    assert make_plan([row("a"), row("a")], Known()).new == 1


def test_what_this_base_has_seen_starts_no_run():
    plan = make_plan([row("a"), row("b")], Known(seen={"a"}))
    assert plan.new == 1
    # the run that b starts begins at the base, which knows nothing of a
    assert contents(plan.train) == ["a", "b"]


def test_what_the_adapter_was_trained_on_is_not_trained_again():
    plan = make_plan([row("a"), row("b")], Known(seen={"a"}, taught={"a"}))
    assert (contents(plan.train), plan.left_out) == (["b"], {"already_trained": 1})


def test_a_row_stays_on_its_side_when_the_dataset_moves_it():
    moved = [row("a", split="validation"), row("b", split="train")]
    plan = make_plan(moved, Known(sides={"a": "train", "b": "validation"}))
    assert (contents(plan.train), contents(plan.validation)) == (["a"], ["b"])


def test_a_new_row_goes_to_the_side_of_its_group():
    """The group's name has changed with its smallest task key; its old row is still in it."""
    rows = [row("old", "new-name"), row("fresh", "new-name"), row("other", "kept-name")]
    plan = make_plan(rows, Known(sides={"old": "validation"}, group_sides={"kept-name": "validation"}))
    assert (contents(plan.train), contents(plan.validation)) == ([], ["old", "fresh", "other"])


def test_a_new_row_of_a_group_on_both_sides_is_left_out():
    rows = [row("a", "joined"), row("b", "joined"), row("c", "joined")]
    plan = make_plan(rows, Known(sides={"a": "train", "b": "validation"}))
    assert (contents(plan.train), contents(plan.validation)) == (["a"], ["b"])
    assert plan.left_out == {"group_on_both_sides": 1}


def test_erased_rows_are_neither_trained_on_nor_measured_by():
    plan = make_plan([row("a"), row("b", split="validation")], Known(erased={"a", "b"}))
    assert (plan.train, plan.validation, plan.new, plan.left_out) == ([], [], 0, {"erased": 2})
