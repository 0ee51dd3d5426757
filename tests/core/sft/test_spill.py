"""Records on disk: what comes back, in which order, and what of them is held in memory."""

from dataclasses import dataclass

import pytest

from ultron_core.sft.facts import ScannedRows
from ultron_core.sft.records import Scanned
from ultron_core.sft.spill import Records, Spill, columns


@dataclass(frozen=True, slots=True)
class Note:
    name: str
    score: float
    place: tuple[int, int]


NOTES = [Note("b", 0.5, (1, 2)), Note("数", 2.0, (3, 4)), Note("a longer name", -1.0, (5, 6))]


@pytest.fixture
def spill():
    with Spill() as spill:
        yield spill


@pytest.fixture
def records(spill):
    records = Records(spill, Note)
    for note in NOTES:
        records.append(note)
    return records


def test_records_come_back_equal_by_position_and_in_any_order(records):
    assert len(records) == 3 and list(records) == NOTES
    assert records[-1] == NOTES[2] and list(records[1:]) == NOTES[1:]
    assert list(records.only([2, 0])) == [NOTES[2], NOTES[0]]


def test_a_position_that_is_not_there_is_an_error(records):
    with pytest.raises(IndexError):
        records[3]


def test_columns_hold_texts_as_bytes_in_the_order_of_their_characters(records):
    names, scores, places = columns(records, "name", "score", "place")
    assert [name.decode() for name in names] == [note.name for note in NOTES]
    assert sorted(names.tolist()) == [name.encode() for name in sorted(note.name for note in NOTES)]
    assert scores.tolist() == [0.5, 2.0, -1.0] and places.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_columns_of_many_records_are_as_wide_as_the_longest_text():
    notes = [Note("x" * (1 + number // 1_000), 0.0, (0, 0)) for number in range(2_001)]
    names, _ = columns(notes, "name", "score")
    assert [name.decode() for name in names] == [note.name for note in notes]


def test_columns_of_nothing_are_empty():
    assert [len(column) for column in columns([], "name", "score")] == [0, 0]


def test_scanned_rows_are_found_by_their_content_alone(spill):
    rows, known = ScannedRows(spill), Scanned("seg-1", "a topic", 12, 3)
    rows.add("ab" * 32, known)
    assert rows.get("ab" * 32) == known and rows.get("cd" * 32) is None
    assert dict(rows) == {"ab" * 32: known} and len(rows) == 1
