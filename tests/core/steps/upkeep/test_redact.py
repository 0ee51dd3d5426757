"""The replay: rows stored with older rules are redacted again, once, also after a stop in the middle."""

from dataclasses import dataclass

import pytest

from tests.support.memories import StubEmbedder, rows
from tests.support.worlds import rows_written, solved, write_log
from ultron_core.client import Ultron
from ultron_core.redaction import PresidioRedactor
from ultron_core.steps.upkeep import redact as step
from ultron_core.steps.upkeep.redact import replay

#: what the first version of the rules did not know
LATE = "ZEBRA-" + "4711"


@dataclass
class Ruled(PresidioRedactor):
    """The real redactor, or in version "new" one that knows LATE as a key as well."""

    new: bool = False

    def __post_init__(self):
        super().__init__()

    @property
    def version(self):
        return "new" if self.new else "old"

    def redact_texts(self, texts):
        return super().redact_texts([self._late(text) for text in texts])

    def redact_json(self, value):
        return super().redact_json(self._walk(value))

    def _late(self, text):
        return text.replace(LATE, "<REDACTED_CREDENTIAL>") if self.new else text

    def _walk(self, value):
        if isinstance(value, str):
            return self._late(value)
        if isinstance(value, dict):
            return {self._late(k): self._walk(v) for k, v in value.items()}
        return [self._walk(v) for v in value] if isinstance(value, list) else value


@pytest.fixture
def ultron(settings, tmp_path):
    """A store filled with old rules: memories by upload and from a log, labels, drops."""
    log = write_log(
        tmp_path / "logs" / "one.jsonl", solved("alpha", f"pandas_{LATE}"), solved("beta", "numpy")
    )
    embedder = StubEmbedder()
    with Ultron(settings, embedder=embedder, redactor=Ruled()) as opened:
        opened.ingest([log], "agent", process=True)
        opened.upload_memory(f"The deploy failed because {LATE} was refused.", tags=["deploy", LATE])
        opened.upload_memory("The deploy failed because the disk was full.")
    with Ultron(settings, embedder=embedder, redactor=Ruled(new=True)) as opened:
        yield opened


def holding(ultron, word):
    """Tables but the private log in which the word stands."""
    names = rows(ultron, "SELECT tablename AS n FROM pg_tables WHERE schemaname = 'ultron'")
    private = ("raw_blobs", "raw_uploads", "messages", "message_windows", "llm_cache")
    found = set()
    for name in (row["n"] for row in names if row["n"] not in private):
        if rows(ultron, f"SELECT 1 FROM {name} t WHERE t::text LIKE '%%{word}%%' LIMIT 1"):
            found.add(name)
    return found


def test_the_word_goes_from_every_table_and_a_second_run_writes_nothing(ultron, database):
    before = holding(ultron, LATE)
    assert {"memories", "memory_sources", "memory_contributions"} <= before
    result = replay(ultron.runtime)
    assert holding(ultron, LATE) == set()
    # a cluster whose members leave for a moment goes, with its topic
    assert {name for name, count in result.changed.items() if count} >= before - {"clusters"}
    assert result.filled >= 1, "changed memories have a vector again"
    versions = rows(ultron, "SELECT DISTINCT redaction_version AS v FROM memories")
    assert [row["v"] for row in versions] == ["new"]
    assert {r["v"] for r in rows(ultron, "SELECT DISTINCT redaction_version AS v FROM task_segments")} == {
        "new"
    }
    without = (
        "SELECT 1 FROM memories m WHERE NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id)"
    )
    assert not rows(ultron, without)
    hits = ultron.search_memories("deploy REDACTED_CREDENTIAL refused", record_hits=False)
    assert "<REDACTED_CREDENTIAL>" in hits[0].record.summary_l0
    written = rows_written(database)
    second = replay(ultron.runtime)
    assert not any(second.changed.values()) and second.filled == 0
    assert len(rows_written(database) - written) <= 1, "nothing but the note that memories were looked at"


def test_frequencies_of_words_follow(ultron):
    def frequencies():
        return rows(ultron, "SELECT term, df FROM lexical_df WHERE scope = 'memory' AND df > 0 ORDER BY 1")

    replay(ultron.runtime)
    expected = rows(
        ultron,
        "SELECT t AS term, count(*)::int AS df FROM memory_search, unnest(terms) t"
        " WHERE status = 'active' GROUP BY 1 ORDER BY 1",
    )
    assert frequencies() == expected


def test_a_run_that_was_stopped_goes_on_where_it_was(ultron, monkeypatch):
    monkeypatch.setattr(step, "_CHUNK", 1)
    seen = []

    class Killed(BaseException):
        pass

    def kill(place, done, total):
        seen.append(place)
        if place == "memory_contributions":
            raise Killed

    with pytest.raises(Killed):
        replay(ultron.runtime, progress=kill)
    assert not rows(ultron, f"SELECT 1 FROM memories WHERE content LIKE '%%{LATE}%%'")
    assert "memory_contributions" in holding(ultron, LATE)
    went_on = replay(ultron.runtime)
    assert holding(ultron, LATE) == set()
    assert went_on.changed["memories"] == 0 and went_on.read["memory_sources"] == 0


def test_again_reads_everything_once_more_and_changes_nothing(ultron):
    first = replay(ultron.runtime)
    again = replay(ultron.runtime, again=True)
    assert again.read["memory_sources"] == first.read["memory_sources"] > 0
    assert not any(again.changed.values())


def test_a_new_table_with_text_is_replayed_or_named_here(database):
    """Text columns of every table are part of the replay, or known to hold no text of users."""
    from ultron_core.store.tables.redaction import PLACES

    exempt = {
        "raw_blobs", "raw_uploads", "messages", "message_windows", "llm_cache",  # private log
        "schema_migrations", "redaction_replays", "embedding_models", "lexical_df", "lexical_stats",
        "memory_usage", "memory_search", "memory_vectors", "cluster_members", "idempotency_keys",
        "sft_exports", "sft_export_rows",  # shipped: named, to be rebuilt
        "leases",  # ids
        "outcomes",  # names that an import checks
        "api_keys", "memory_verdicts",  # hashes, and names that a person gives
        "sft_cleaned", "sft_drafted",  # made again for other rules, by their digests
        "taste",  # figures by names of projects: learned again where anything changed
        "erasures", "erased_logs", "erasure_keys",  # counts and keyed hashes
        "training_runs", "training_rows",  # folders, settings, figures and hashes
    }  # fmt: skip
    with database.connection() as conn:
        tables = conn.execute("SELECT tablename AS n FROM pg_tables WHERE schemaname = 'ultron'").fetchall()
    assert {row["n"] for row in tables} == {*PLACES, "memories", *exempt}
