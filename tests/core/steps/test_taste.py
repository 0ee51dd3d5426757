"""From stored verdicts to a taste: fitted, kept as one row, used by extraction, gone with what it was learned from."""

from dataclasses import replace
from itertools import cycle

import pytest

from tests.support.memories import StubEmbedder, one, rows
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.steps.stages import extract
from ultron_core.steps.taste import current_taste, refit_if_judged
from ultron_core.steps.upkeep.backfill import backfill
from ultron_core.steps.upkeep.redact import replay

KINDS = ("closing", "turn", "failure")


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder()) as opened:
        yield opened


def furnish(ultron, tmp_path, useful, *, sessions=12, each=3):
    """Memories of sessions of two projects, each with a probability; `useful(kind, number)` is the verdict on each."""
    logs = [write_log(tmp_path / f"s{n}.jsonl", solved(f"task{n}", f"package{n}")) for n in range(sessions)]
    ultron.ingest(logs, "reader")
    found = rows(ultron, "SELECT id FROM sessions WHERE agent_id = 'reader' ORDER BY session_file")
    ids = [row["id"] for row in found for _ in range(each)]
    kinds = cycle(KINDS)
    for number, session_id in enumerate(ids):
        kind = next(kinds)
        memory = ultron.upload_memory(
            f"Lesson {number}: the relay {number * 7919} listens on port {number + 4000}."
        )
        rows(
            ultron,
            "UPDATE memories SET probability = %(p)s, lesson = %(kind)s WHERE id = %(id)s RETURNING id",
            p=0.3 + 0.6 * (number * 37 % 100) / 100,
            kind=kind,
            id=memory.id,
        )
        rows(
            ultron,
            "UPDATE memory_sources SET session_id = %(s)s WHERE memory_id = %(id)s RETURNING id",
            s=session_id,
            id=memory.id,
        )
        ultron.judge_memory(memory.id, "useful" if useful(kind, number) else "junk")
    return ids


def no_closings(kind, number):
    return kind != "closing"


def as_the_ranker(kind, number):
    """Whatever it is, as often useful as the ranker says: numbers that have nothing to do with the kind."""
    return number * 53 % 100 < 100 * (0.3 + 0.6 * (number * 37 % 100) / 100)


def test_a_consistent_taste_is_learned_and_told(ultron, tmp_path):
    assert ultron.get_taste_status() == {"judged": {}, "taste": None}
    furnish(ultron, tmp_path, no_closings)
    taste = ultron.refit_taste()
    assert taste.verdicts == 36 and taste.gain > 0.1
    assert taste.coefficients["lesson=closing"] < -0.5 < 0.2 < taste.coefficients["lesson=turn"]
    status = ultron.get_taste_status()
    assert status["judged"] == {"junk": 12, "useful": 24}
    assert status["taste"]["coefficients"] == taste.coefficients == current_taste(ultron.runtime)
    assert ultron.refit_taste() == taste, "the same verdicts teach the same"
    assert len(rows(ultron, "SELECT * FROM taste")) == 1


def test_noise_teaches_nothing(ultron, tmp_path):
    furnish(ultron, tmp_path, as_the_ranker)
    taste = ultron.refit_taste()
    assert taste.coefficients is None and "standard error" in taste.reason
    assert current_taste(ultron.runtime) is None
    assert ultron.get_taste_status()["taste"]["reason"] == taste.reason


def test_the_last_verdict_on_the_words_that_stand_counts_once(ultron, tmp_path):
    furnish(ultron, tmp_path, no_closings)
    judged, other, edited = (
        row["id"] for row in rows(ultron, "SELECT memory_id AS id FROM memory_verdicts LIMIT 3")
    )
    ultron.judge_memory(judged, "junk", given_by="ada")
    ultron.confirm_memory(other)
    ultron.update_memory(edited, content="Now it says something else.")
    assert ultron.refit_taste().verdicts == 35
    assert ultron.get_taste_status()["judged"]["confirmed"] == 1


def test_upkeep_learns_what_is_new_and_only_then(ultron, tmp_path):
    furnish(ultron, tmp_path, no_closings)
    assert ultron.get_taste_status()["taste"] is None
    backfill(ultron.runtime)
    first = one(ultron, "SELECT * FROM taste")
    assert first["verdicts"] == 36 and first["coefficients"] is not None
    refit_if_judged(ultron.runtime)
    assert one(ultron, "SELECT * FROM taste") == first


def test_extraction_asks_the_taste_where_the_ranker_says_a_probability(ultron, tmp_path, monkeypatch):
    """Drafts as of an agent's closing words, with a probability above the bound of the claimed."""
    real = extract.drafts_of
    monkeypatch.setattr(
        extract,
        "drafts_of",
        lambda *given: [replace(draft, probability=0.55, lesson="closing") for draft in real(*given)],
    )

    def extracted(name, package):
        ultron.ingest([write_log(tmp_path / f"{name}.jsonl", solved(name, package))], "agent", process=True)
        return rows(ultron, "SELECT 1 FROM memories WHERE content LIKE %(like)s", like=f"%{package}%")

    assert extracted("before", "pandas")
    furnish(ultron, tmp_path, no_closings)
    assert ultron.refit_taste().coefficients
    assert extracted("after", "numpy") == []
    dropped = rows(
        ultron, "SELECT reason, detail FROM drops WHERE stage = 'extract' AND reason = 'improbable'"
    )
    assert dropped and "is below 0.3" in dropped[0]["detail"]


def test_what_is_erased_is_unlearned(ultron, tmp_path):
    furnish(ultron, tmp_path, no_closings)
    rows(
        ultron,
        "UPDATE sessions SET project = CASE WHEN session_file < 's2' THEN 'secretive' ELSE 'open' END RETURNING id",
    )
    assert "project=secretive" in ultron.refit_taste().coefficients
    for row in rows(ultron, "SELECT partition_key FROM sessions WHERE project = 'secretive'"):
        ultron.erase_session(row["partition_key"])
    assert not rows(ultron, "SELECT 1 FROM taste WHERE taste::text LIKE '%%secretive%%'")
    assert one(ultron, "SELECT verdicts FROM taste")["verdicts"] < 36


def test_other_words_after_a_redaction_are_unlearned(ultron, tmp_path):
    furnish(ultron, tmp_path, no_closings)
    assert ultron.refit_taste().verdicts == 36
    named = "content = content || ' Mail ada.lovelace@example.org.', redaction_version = 'old'"
    rows(ultron, f"UPDATE memories SET {named} WHERE content LIKE 'Lesson 7:%%' RETURNING id")
    assert replay(ultron.runtime).changed["memories"] == 1
    assert one(ultron, "SELECT verdicts FROM taste")["verdicts"] == 35
