"""Labelled answers of agents become small sessions, and what is made of them is counted by item."""

import hashlib
import importlib
import json
from importlib.resources import files

import pytest

MODEL = json.loads(files("ultron_core.lessons.findings").joinpath("model.json").read_text("utf-8"))
CAUSE = "`flush()` is never called when the worker stops."
ROWS = [
    {
        "id": "a",
        "repository": "ann/shop",
        "licence": "MIT",
        "lang": "en",
        "request": "Why are the last numbers missing?",
        "calls": ["Read", "Bash"],
        "text": f"I looked at it. {CAUSE} Anything else?",
        "closing": True,
        "next": "ok, fix it",
        "keep": [{"kind": "error", "sentences": [CAUSE], "memory": "stop() must call `flush()`."}],
        "drawn": "natural",
    },
    {
        "id": "b",
        "repository": "id 7",
        "licence": "",
        "lang": "en",
        "request": "go on",
        "calls": [],
        "text": "Let me look at the tests.",
        "closing": False,
        "next": "",
        "keep": [],
        "drawn": "sought",
    },
]


@pytest.fixture
def inputs():
    return importlib.import_module("inputs.answers")


@pytest.fixture
def answers(inputs, tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, [*ROWS, ROWS[0]])), "utf-8")
    return inputs.load_answers(file)


def test_the_model_was_fitted_on_the_statements_of_the_repository():
    training = importlib.import_module("training.answers")
    digest = hashlib.sha256(training.STATEMENTS.read_bytes()).hexdigest()
    assert MODEL["sha256"]["statements.jsonl"] == digest, "refit after statements.jsonl"


def test_answers_of_the_repository_may_be_handed_on_and_their_notes_rest_on_them(inputs):
    rows = inputs.load_answers(inputs.GOLD_ANSWERS)
    assert {one.licence for one in rows} <= {"MIT", "Apache-2.0", "ISC"}
    assert any(one.keep for one in rows)
    for one in rows:
        assert all(sentence in one.text for item in one.keep for sentence in item.sentences)


def test_an_answer_stands_between_its_request_and_the_next_turn(inputs, answers):
    closing, remark = answers
    messages = inputs.as_messages(closing)
    assert [m.role for m in messages] == ["user", *("assistant", "tool") * 2, "assistant", "user"]
    assert "flush()" in messages[2].content  # the log bears out what the answer names
    assert inputs.project_of(closing) == "shop"
    assert [m.role for m in inputs.as_messages(remark)] == ["user", "assistant", "tool"]
    assert inputs.project_of(remark) == ""


def test_sentences_of_an_item_are_kept_and_repositories_leave_together(answers):
    training = importlib.import_module("training.answers")
    table = training.describe(answers, None)
    assert [table.kind[row] for row in range(len(table.keep)) if table.keep[row]] == ["error"]
    assert set(table.repositories) == {"ann/shop", "id 7"}
    assert table.passages[0] == ("", CAUSE)  # as the network reads it


def test_recall_is_by_item_and_precision_by_memory(inputs, answers, capsys):
    audit = importlib.import_module("audits.answers")
    draft = audit.MemoryDraft(content=CAUSE)
    wrong = audit.MemoryDraft(content="The tests are slow.")
    made = [[audit.Made("cause", draft, True), audit.Made("fact", wrong, False)], []]
    assert audit.share_told(answers[0].keep[0], made[0]) == 1.0
    audit.report(answers, made, "all")
    whole, kind, *rules = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (whole["items"], whole["told"], whole["memories"], whole["precision"]) == (1, 1, 2, 0.5)
    assert (kind["kind"], kind["recall"]) == ("error", 1.0)
    assert {(row["rule"], row["right"]) for row in rules} == {("cause", 1), ("fact", 0)}
