"""The network that ships: the same words give the same odds, whatever is read beside them."""

import hashlib
import json
import threading
from importlib.resources import files

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from ultron_core.transcript.sense import reader
from ultron_core.transcript.sense.nature import load_natures
from ultron_core.transcript.sense.reader import OUTPUTS, load_sense, numbered
from ultron_core.transcript.sense.weights import load_weights

CAUSE = ("Root cause:", "The port was held by a container that had not stopped, so bind() failed.")
DONE = ("", "Let me look at the tests.")
ASKED, SAID = "make the button blue", "Fixed the colour. [calls: Edit]"
WRONG = (ASKED, SAID, "no, it is still red and now the menu is gone")
THANKS = (ASKED, SAID, "perfect, that works, thank you")
NEXT = (ASKED, SAID, "Great. Now write the release notes for version 2.1 and tag it")


@pytest.fixture(scope="module")
def sense():
    return load_sense()


def likely(sense, question, passage, output):
    return 1 / (1 + np.exp(-sense.odds(question, [passage])[0][OUTPUTS[question].index(output)]))


def test_the_file_beside_it_says_what_the_network_was_made_of():
    room = files("ultron_core.transcript.sense")
    told = json.loads(room.joinpath("network.json").read_text("utf-8"))
    assert told["sha256"] == hashlib.sha256(room.joinpath("network.npz").read_bytes()).hexdigest()


def test_a_row_per_passage_and_a_column_per_output(sense):
    for question, outputs in OUTPUTS.items():
        two = [WRONG, THANKS] if question == "turn" else [CAUSE, DONE]
        assert sense.odds(question, two).shape == (2, len(outputs))
        assert sense.odds(question, []).shape == (0, len(outputs))


def test_it_tells_a_cause_from_a_plan_and_what_a_turn_says_of_the_work(sense):
    assert likely(sense, "answer", CAUSE, "keep") > 2 * likely(sense, "answer", DONE, "keep")
    assert likely(sense, "turn", WRONG, "failed") > 0.7 > likely(sense, "turn", THANKS, "failed")
    assert likely(sense, "turn", THANKS, "done") > 0.5 > likely(sense, "turn", WRONG, "done")
    assert likely(sense, "turn", NEXT, "opens") > 2 * likely(sense, "turn", WRONG, "opens")
    assert likely(sense, "turn", ("把按钮改成蓝色", "已修改。", "还是不行，颜色没有变"), "failed") > 0.7


def test_what_is_read_together_changes_nothing(sense):
    fresh = reader.Sense(load_weights(), load_natures())
    alone = [fresh.odds("turn", [one])[0] for one in (WRONG, THANKS)]
    together = reader.Sense(load_weights(), load_natures()).odds("turn", [WRONG, NEXT, THANKS, WRONG])
    assert np.array_equal(together[[0, 2, 3]], [*alone, alone[0]])


def test_what_was_read_is_not_read_again_and_little_is_remembered(monkeypatch):
    sense = reader.Sense(load_weights(), load_natures())
    first = sense.odds("turn", [WRONG])
    with monkeypatch.context() as patch:
        patch.setattr(reader, "encode", None)
        assert np.array_equal(sense.odds("turn", [WRONG]), first)
    monkeypatch.setattr(reader, "_REMEMBERED", 2)
    for number in range(6):
        sense.odds("turn", [("", "", f"take number {number}")])
    assert len(sense._known) <= 3


def test_threads_read_side_by_side():
    sense, found = reader.Sense(load_weights(), load_natures()), {}
    before = [one["num_threads"] for one in threadpool_info()]
    threads = [
        threading.Thread(
            target=lambda n=n: found.update({n: sense.odds("answer", [CAUSE, ("", f"step {n}")])})
        )
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(np.array_equal(own[0], found[0][0]) for own in found.values())
    assert [one["num_threads"] for one in threadpool_info()] == before


def test_a_long_turn_is_read_from_both_ends_and_never_past_its_places():
    pieces = load_weights().pieces
    long = ("asked " * 500, "word " * 500, "first " + "middle " * 500 + "final")
    row = numbered("turn", long, pieces)
    assert len(row) <= 128
    assert row[-2] == pieces.ids("final", 1, last=True)[0]
