"""What sentences are, fitted from letters: the file that comes out tells them apart and fits the reader."""

import importlib
import json

import pytest

from ultron_core.transcript.sense import nature
from ultron_core.transcript.sense.nature import NATURES, load_natures
from ultron_core.transcript.sense.reader import Sense
from ultron_core.transcript.sense.weights import load_weights

SAID = {
    "D": "The build fails because `libfoo` {n} is pinned in `setup.cfg`, which the deploy script never reads.",
    "P": "Now let me run test {n} again and check whether it passes.",
    "B": "Added a sidebar with {n} buttons and a dark theme.",
    "K": "In Python, a tuple of {n} elements cannot be changed once it is made.",
    "U": "{n}. Overview",
}
WISHES = {"L": "From now on every service {n} must log in JSON.", "M": "ok, run step {n} now"}


def rows():
    for number in range(6):
        for question, told in (("answer", SAID), ("sentence", WISHES)):
            for letter, text in told.items():
                passage = ["", text.format(n=number)]
                yield {
                    "question": question,
                    "repository": f"{letter}/{number}",
                    "passage": passage,
                    "letter": letter,
                }


@pytest.fixture
def fitted(tmp_path, monkeypatch, capsys):
    """What the script writes and prints for the rows above."""
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows()), "utf-8")
    script = importlib.import_module("training.sense.nature")
    monkeypatch.setattr(
        "sys.argv", ["nature.py", "--labels", str(labels), "--out", str(tmp_path / "nature.json")]
    )
    assert script.main() == 0
    return tmp_path, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_nature_is_ranked_by_fits_that_had_not_seen_its_repository(fitted):
    told = {(line["question"], line["nature"]): line for line in fitted[1]}
    assert set(told) == {(question, name) for question, names in NATURES.items() for name in names}
    assert all(line["auc"] > 0.95 for line in told.values())
    assert told["answer", "lasting"]["sentences"] == 30 and told["answer", "lasting"]["true"] == 6


def test_the_file_is_one_that_the_reader_takes(fitted, monkeypatch):
    monkeypatch.setattr(nature, "files", lambda package: fitted[0])
    sense = Sense(load_weights(), load_natures())
    natures = sense.natures("answer", [("", SAID[letter].format(n=9)) for letter in "DPBKU"])
    assert natures.argmax(axis=1).tolist() == [0, 1, 2, 3, 4]
    wish, order = sense.natures("sentence", [("", text.format(n=9)) for text in WISHES.values()])
    assert wish[0] > order[0]
