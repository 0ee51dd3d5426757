"""Sixteen real sessions through the whole path with recorded answers: nothing that was answered well is lost."""

import json
from pathlib import Path

from tests.support.gold import normal, sessions
from tests.support.model.recorded import notes, notes_in, recorded
from tests.support.walk import missing, unseen

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "model.jsonl"
#: of the good list, what the recorded notes rest on other words for
OTHER_WORDS = ("A package named cmd is imported under an alias in cobra programs",)


def test_every_request_has_its_answer(walked, tmp_path):
    _, answers = walked
    assert answers.unanswered == [], answers.complaint(tmp_path)


def test_every_answer_was_written_under_the_rules_that_ask_for_it(walked):
    _, answers = walked
    assert answers.outdated == [], "read these prompts again: their answers obey older rules (see README.md)"


def test_nothing_is_left_undone(walked):
    done, _ = walked
    assert (done.report["pending"], done.report["failed"], done.report["errors"]) == (0, 0, ())


def test_tasks_begin_where_the_gold_cuts_are(walked):
    done, _ = walked
    gold = {(task.first["thread"], task.first["line"]) for session in sessions() for task in session.tasks}
    found = {(thread, line) for _, thread, line in done.starts}
    assert len(done.starts) == sum(len(session.tasks) for session in sessions())
    assert gold - found == set()


def test_every_note_is_stored(walked):
    done, _ = walked
    assert missing(done.memories) == [], done.drops
    assert len(done.memories) == len(notes())


def test_the_notes_quote_what_the_good_list_quotes():
    """The list was made from the whole logs, the notes from what the prompts show."""
    others = [memory["content"] for name, memory in gold_memories() if not is_quoted(memory, name)]
    assert [content[: len(OTHER_WORDS[0])] for content in others] == list(OTHER_WORDS)


def gold_memories():
    return [(s.name, memory) for s in sessions() for task in s.tasks for memory in task.memories]


def is_quoted(memory, name):
    said = [
        normal(quote["quote"])
        for row in recorded().values()
        if row["session"] == name
        for note in notes_in(row)
        for quote in note["evidence"]
    ]
    gold = [normal(quote["quote"]) for quote in memory["quotes"]]
    return any(words in quote or quote in words for words in gold for quote in said)


def test_every_quote_of_the_good_list_is_still_shown_to_the_model(walked):
    done, _ = walked
    assert unseen(done.requests) == []


def test_each_session_takes_one_call_and_all_of_them_60_percent_of_the_tokens_of_before(walked):
    _, answers = walked
    before = json.loads(RESULTS.read_text("utf-8").splitlines()[2])
    assert (before["calls"], before["by_question"].keys()) == (33, {"Review", "TaskList"})
    assert sorted(call["session"] for call in answers.calls) == sorted(s.name for s in sessions())
    assert sum(call["input_tokens"] for call in answers.calls) <= 0.6 * before["input_tokens"]


def test_a_cure_is_stored_as_sure_as_its_quote_whatever_became_of_the_run(walked):
    done, _ = walked
    given = {
        note["content"]: "verified" if note.get("verified_by") else "claimed"
        for row in recorded().values()
        for note in notes_in(row)
        if note.get("resolution") and note["memory_type"] in ("error", "security", "pattern")
    }
    stored = {memory["content"]: memory["cure"] for memory in done.memories}
    assert min(list(given.values()).count(sure) for sure in ("verified", "claimed")) >= 4
    assert {content: stored[content] for content in given} == given
