"""The retrieval benchmark on made-up files of the formats that it reads."""

import importlib
import json
import sys
from datetime import UTC, datetime

import pytest


@pytest.fixture
def retrieval():
    return importlib.import_module("retrieval")


def question(name, asked, gold, *sessions):
    """A row as LongMemEval has it; a session is (name, [(role, words, has_answer), ...])."""
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": asked,
        "answer": "-",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": [session for session, _ in sessions],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"] * len(sessions),
        "haystack_sessions": [
            [{"role": role, "content": words, "has_answer": answer} for role, words, answer in turns]
            for _, turns in sessions
        ],
        "answer_session_ids": gold,
    }


GARDEN = (
    "garden/1",
    [("user", "My tulips are called Golden Apeldoorn.", True), ("assistant", "Nice.", False)],
)
TRAIN = ("train_2", [("user", "Which train goes to Porto?", False), ("assistant", "The Celta.", True)])
EMPTY = ("empty", [])
ROWS = [
    question("q1", "What are my Golden tulips called?", ["garden/1"], GARDEN, TRAIN, EMPTY),
    question("q2", "Which train did you tell me goes to Porto?", ["train_2"], GARDEN, TRAIN),
    question("q3_abs", "What is my cat called?", ["garden/1", "train_2"], GARDEN, TRAIN),
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "retrieval" / "longmemeval_s_cleaned.json"
    path.parent.mkdir()
    path.write_text(json.dumps(ROWS), "utf-8")
    return path


def test_the_file_is_found_by_either_name(retrieval, file):
    assert retrieval.find_longmemeval([file.parent.parent, file.parent], "s") == file
    assert retrieval.find_longmemeval([file.parent], "m") is None


def test_a_question_has_a_haystack_of_its_own_at_its_time(retrieval, file):
    first, second, third = retrieval.read_longmemeval(file)
    assert list(first.sessions) == ["garden_1", "train_2"]
    assert first.asked_at == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)
    assert first.sessions["garden_1"][0]["timestamp"] == "2023-05-20T02:21:00+00:00"
    assert first.questions[0].subsets == ("all", "no_abstention", "official")
    assert second.questions[0].subsets == ("all", "no_abstention")  # the answer is in no turn of the user
    assert third.questions[0].subsets == ("all",)


def test_recall_any_and_all_by_subset(retrieval, file, settings, tmp_path, capsys):
    world = retrieval.World(tmp_path, settings)
    retrieval.measure_longmemeval(world, "longmemeval_s", file, None)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    whole = {line["subset"]: line for line in lines if line["category"] == "all"}
    assert {subset: line["n"] for subset, line in whole.items()} == {
        "all": 3,
        "no_abstention": 2,
        "official": 1,
    }
    assert whole["no_abstention"]["any1"] == whole["no_abstention"]["all1"] == 1.0
    assert whole["all"]["all1"] < 1.0  # two sessions are gold for the third question
    assert "seconds" in whole["all"] and "ingest_seconds" in whole["all"]


def test_marks_of_a_ranking(retrieval):
    assert retrieval.score(["a", "b", "c"], frozenset("b")) == [0.0, 1.0, 1.0, 0.0, 0.5]
    assert retrieval.score(["a", "b"], frozenset("az")) == [0.5, 0.5, 0.5, 1.0, 1.0]
    assert retrieval.score(["a"], frozenset("z")) == [0.0] * 5
    assert retrieval.score(["a"], frozenset()) == [1.0] * 5
    assert retrieval.recalls(["a", "b"], frozenset("ab")) == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]


def test_absent_sets_are_skipped_with_a_line_that_says_so(retrieval, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["retrieval.py", "--data", str(tmp_path)])
    assert retrieval.main() == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["set"] for line in lines] == ["locomo", "agent_sessions", "longmemeval_s", "longmemeval_m"]
    assert all(line["skipped"] for line in lines)


def test_items_belong_to_one_session_only(retrieval, tmp_path):
    from inputs.retrieval import AgentSession, draw_items

    from ultron_core.models import Message

    def session(name, *texts):
        messages = [Message(role="user", content=text) for text in texts]
        return AgentSession("made", name, b"", messages)

    shared = "one two three four five six seven"
    items = draw_items([session("a", shared, "数据库连接池已经满了请稍后"), session("b", shared)], 1)
    assert [(item.text, item.gold, item.group) for item in items] == [
        ("数据库连接池已经满了请稍后", frozenset("a"), "chinese")
    ]
