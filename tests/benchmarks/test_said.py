"""Labelled turns of people become small sessions, and what is made of them is counted by turn."""

import hashlib
import importlib
import json
from importlib.resources import files

import numpy as np
import pytest

MODEL = json.loads(files("ultron_core.lessons.people.plain").joinpath("model.json").read_text("utf-8"))

ROWS = [
    {
        "repository": "a/b",
        "lang": "en",
        "text": "Nice work so far. Use the shared logger, never print.",
        "before": "Added the export. [calls: Edit, Bash]",
        "after": "Switched to the logger.",
        "drawn": "random",
        "keep": {"kind": "preference", "memory": "Use the shared logger instead of print."},
    },
    {"repository": "c/d", "lang": "en", "text": "run it again", "likely_same_project": "other", "keep": None},
]


@pytest.fixture
def said():
    return importlib.import_module("inputs.said")


@pytest.fixture
def told(said, tmp_path):
    file = tmp_path / "turns.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    return said.load_told(file)


def test_the_model_goes_on_from_one_fitted_on_the_turns_of_the_repository(said):
    first = MODEL["goes_on_from"]["goes_on_from"]["goes_on_from"]["sha256"]
    for file in (said.NATIVE_TURNS, said.WRITTEN_TURNS):
        assert first[file.name] == hashlib.sha256(file.read_bytes()).hexdigest(), f"refit after {file.name}"


def test_without_new_turns_the_fit_would_say_what_the_earlier_one_said(said, told):
    plain = importlib.import_module("training.plain")
    prior = importlib.import_module("training.grams").Prior.load(plain.PRIOR)
    known = {gram: number for number, gram in enumerate(sorted(prior.raw["grams"]))}
    own = prior.over(known, [*plain.dense_names(), "new"])
    at = prior.raw["dense"].index("negation")
    row = plain.dense_names().index("negation")
    unit = prior.raw["unit"]
    assert np.allclose(own.dense[row] * unit, np.reshape(prior.raw["weights"]["dense"], (-1, 5))[at])
    first = prior.raw["grams"][0]
    assert np.allclose(own.grams[known[first]] * unit, prior.raw["weights"]["grams"][:5])
    assert not own.dense[-1].any()  # of what it did not know


def test_a_turn_stands_between_the_agents_act_and_its_answer(said, told):
    first, second = told
    messages = said.as_messages(first)
    assert [m.role for m in messages] == ["assistant", "tool", "tool", "assistant", "user", "assistant"]
    assert [call.name for call in messages[0].tool_calls] == ["Edit", "Bash"]
    assert messages[3].content == "Added the export."
    assert [m.role for m in said.as_messages(second)] == ["user"]


def test_turns_of_one_project_leave_together_and_notes_find_their_sentence(told):
    plain = importlib.import_module("training.plain")
    table = plain.describe(told)
    assert list(table.repositories) == ["a/b", "other"]
    assert table.passages[0][0].startswith("Added the export.")
    own = table.near[table.turn == 0]
    assert own.argmax() == 1
    note = "Use the shared logger"
    assert plain.nearness(note, note) > plain.nearness("Nice", note)


def test_precision_and_recall_are_by_turn(told, capsys):
    importlib.import_module("audits.said").report(told, [[("preference", None)], [("fact", None)]], "all")
    whole, *kinds = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (whole["keep"], whole["stored"], whole["recall"], whole["precision"]) == (1, 1, 1.0, 0.5)
    found = {row["kind"]: (row["same"], row["made"], row["right"]) for row in kinds}
    assert found["preference"] == (1, 1, 1)
    assert found["fact"] == (0, 1, 0)
