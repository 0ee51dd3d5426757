"""Which segments are recorded of a dataset, and that its rows are read one by one for it."""

import weakref
from types import SimpleNamespace

from ultron_core.steps.sft.recording import shipped_segments


class Run:
    """A run of a row, as far as it is recorded; unlike `Row` it can be watched."""

    def __init__(self, run_id, start_line=1):
        self.id, self.start_line = run_id, start_line
        self.agent_id, self.session_id, self.end_line, self.split = "me", "s", 9, "train"
        self.content_sha256 = f"hash of {run_id}"


def row_of(*runs):
    return SimpleNamespace(sides=runs)


def test_a_row_is_let_go_before_the_next_but_one_is_read():
    alive = []

    def rows():
        for number in range(50):
            # the caller's names may still hold the last one
            held = sum(run() is not None for run in alive)
            assert held <= 1, "the texts of all rows do not fit into memory together"
            row = row_of(Run(f"{number:04d}"))
            alive.append(weakref.ref(row.sides[0]))
            yield row
            del row

    assert sum(1 for _ in shipped_segments("default", rows())) == 50


def test_of_a_segment_in_whole_and_in_parts_the_whole_is_recorded_whatever_comes_first():
    first = [row_of(Run("a", 1), Run("a:corrected", 5)), row_of(Run("b:first", 2), Run("b:corrected", 3))]
    last = [
        row_of(Run("a:corrected", 5)),
        row_of(Run("b:first", 2), Run("b:corrected", 3)),
        row_of(Run("a", 1)),
    ]
    for rows in (first, last):
        recorded = {one["segment_id"]: one for one in shipped_segments("default", rows)}
        assert {name: one["start_line"] for name, one in recorded.items()} == {"a": 1, "b": 3}
        assert recorded["a"]["content_sha256"] == "hash of a"
        assert recorded["a"]["account_id"] == "default"
