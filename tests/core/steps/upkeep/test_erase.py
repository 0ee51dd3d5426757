"""A session that is erased leaves its words in no table and no file, and takes nothing from others."""

import json
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.memories import StubEmbedder, axis, rows, tables_holding
from tests.support.places import files_text
from tests.support.worlds import solved, write_log
from ultron_core.cli.main import cli
from ultron_core.client import Ultron
from ultron_core.errors import InputError, NotFoundError
from ultron_core.steps.sft.export import ExportRequest, export_dataset

PHRASE, OTHER = "quetzalite", "wyvernite"
#: what both logs say of their packages is near enough for one memory
SAME = {PHRASE: axis(0), OTHER: axis(1, axis(0), 0.95)}


def write(settings, name, *tasks):
    return write_log(settings.sessions_dir / "agent" / f"{name}.jsonl", *tasks)


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder()) as opened:
        yield opened


@pytest.fixture
def merging(settings):
    """Takes the memories of both packages for one."""
    with Ultron(settings, embedder=StubEmbedder(SAME)) as opened:
        yield opened


def put(ultron, settings, name, package):
    path = write(settings, name, solved(f"{name}one", package), solved(f"{name}two", package))
    ultron.ingest([path], "agent", process=True)
    return path


def files_holding(folder, word):
    return [name for name, text in files_text(folder).items() if word in text and not name.startswith("pg")]


def packed(ultron, word):
    """How many archived logs hold the word: they are compressed."""
    bodies = [bytes(row["body"]) for row in rows(ultron, "SELECT body FROM raw_blobs")]
    return sum(word.encode() in zlib.decompress(body) for body in bodies)


def exported(ultron):
    return export_dataset(ultron.runtime, ExportRequest(min_quality_score=0.0))


def test_nothing_of_an_erased_session_stays_in_any_table_or_file(ultron, settings, tmp_path):
    log = put(ultron, settings, "a", PHRASE)
    put(ultron, settings, "b", OTHER)
    ultron.ingest([log], "agent")  # what is read again is archived once more where it changed
    dataset = Path(exported(ultron).path)
    ultron.search_sessions(PHRASE, all_agents=True)
    assert {"messages", "memories", "memory_contributions"} <= tables_holding(ultron, PHRASE)
    assert packed(ultron, PHRASE) == 1
    assert files_holding(settings.store.home, PHRASE) and log.exists() and dataset.is_dir()
    report = ultron.erase_session("agent/a.jsonl", datasets=True)
    assert (report.counts["sessions"], report.reworded) == (1, 0) and report.counts["task_segments"] >= 1
    assert report.counts["memories"] >= 1 and report.counts["raw_uploads"] >= 1 and report.logs == (log,)
    assert tables_holding(ultron, PHRASE) == set() and packed(ultron, PHRASE) == 0
    assert packed(ultron, OTHER) == 1
    assert files_holding(tmp_path, PHRASE) == [] and not log.exists() and not dataset.exists()
    assert "memories" in tables_holding(ultron, OTHER)
    assert rows(ultron, "SELECT 1 FROM message_windows") != []
    counted = rows(ultron, "SELECT documents FROM lexical_stats WHERE scope = 'window'")[0]["documents"]
    assert counted == rows(ultron, "SELECT count(*) AS n FROM message_windows")[0]["n"]


def test_what_is_erased_does_not_come_back(ultron, settings):
    put(ultron, settings, "a", PHRASE)
    ultron.erase_session("agent/a.jsonl")
    ultron.ingest([settings.sessions_dir / "agent"], "agent", process=True)
    ultron.process_pending()
    assert tables_holding(ultron, PHRASE) == set()
    with pytest.raises(NotFoundError, match="ultron sessions"):
        ultron.erase_session("agent/a.jsonl")


@pytest.mark.parametrize("first", [PHRASE, OTHER])
def test_a_memory_that_another_session_gave_too_keeps_that_one_s_words(merging, settings, first):
    order = {"a": PHRASE, "b": OTHER} if first == PHRASE else {"b": OTHER, "a": PHRASE}
    for name, package in order.items():
        put(merging, settings, name, package)
    shared = rows(
        merging,
        "SELECT memory_id FROM memory_sources GROUP BY memory_id HAVING count(DISTINCT session_id) > 1",
    )
    assert shared, "the two sessions support one memory"
    for row in shared:
        merging.judge_memory(row["memory_id"], "useful")
    merging.erase_session("agent/a.jsonl")
    assert tables_holding(merging, PHRASE) == set()
    left = merging.get_memory_details([row["memory_id"] for row in shared])
    said = [merging.get_memory_history(record.id)["verdicts"] for record in left]
    assert all(verdict["holds"] for own in said for verdict in own), (
        "nothing is left of what was said of other words"
    )
    assert left and all(OTHER in record.content + record.context + record.resolution for record in left)
    assert any(hit.record.id == left[0].id for hit in merging.search_memories(OTHER))
    assert rows(merging, "SELECT 1 FROM memory_vectors WHERE memory_id = %(id)s", id=left[0].id)


def test_parts_that_were_one_only_through_what_is_erased_come_apart(settings):
    between = {PHRASE: axis(0), OTHER: axis(1, axis(0), 0.93), "zygomite": axis(2, axis(0), 0.93)}
    with Ultron(settings, embedder=StubEmbedder(between)) as ultron:
        for name, package in (("a", PHRASE), ("b", OTHER), ("c", "zygomite")):
            put(ultron, settings, name, package)
        wishes = "SELECT id, content FROM memories WHERE content LIKE '%%Always run%%' AND status = 'active'"
        together = [
            row for row in rows(ultron, wishes) if OTHER in row["content"] and "zygomite" in row["content"]
        ]
        assert together, "both are near what lies between them"
        ultron.erase_session("agent/a.jsonl")
        apart = rows(ultron, wishes)
        assert not [row for row in apart if OTHER in row["content"] and "zygomite" in row["content"]]
        for word, name in ((OTHER, "b"), ("zygomite", "c")):
            own = [row["id"] for row in apart if word in row["content"]]
            files = rows(
                ultron,
                "SELECT DISTINCT e.session_file FROM memory_sources s JOIN sessions e ON e.id = s.session_id"
                " WHERE s.memory_id = ANY(%(ids)s)",
                ids=own,
            )
            assert [row["session_file"] for row in files] == [f"{name}.jsonl"]


def test_a_dry_run_says_the_same_and_changes_nothing(ultron, settings):
    log = put(ultron, settings, "a", PHRASE)
    before = tables_holding(ultron, PHRASE)
    told = ultron.erase_session("agent/a.jsonl", dry_run=True)
    assert told.dry_run and told.logs == (log,) and log.exists()
    assert tables_holding(ultron, PHRASE) == before
    done = ultron.erase_session("agent/a.jsonl")
    assert (done.counts, done.left) == (told.counts, told.left) and done.counts["messages"]


def test_what_is_out_of_reach_is_said(ultron, settings, tmp_path):
    outside = write_log(tmp_path / "elsewhere" / "a.jsonl", solved("alpha", PHRASE))
    ultron.ingest([outside], "agent", process=True)
    copy = settings.sessions_dir / "agent" / "copy.jsonl"
    copy.parent.mkdir(parents=True)
    copy.write_bytes(outside.read_bytes())
    ultron.ingest([copy], "agent")
    dataset = exported(ultron).path
    named = rows(ultron, "SELECT partition_key FROM sessions WHERE session_file LIKE '@abs%%'")
    report = ultron.erase_session(named[0]["partition_key"])
    said = "\n".join(report.left)
    assert report.logs == () and outside.exists()
    for place in (str(outside), "agent/copy.jsonl", str(dataset), "VACUUM FULL"):
        assert place in said


def test_the_command_asks_first_and_prints_what_goes(settings, monkeypatch):
    monkeypatch.setenv("ULTRON_HOME", str(settings.store.home))
    monkeypatch.setenv("ULTRON_DATABASE_URL", str(settings.store.database_url))
    monkeypatch.setenv("ULTRON_OFFLINE", "1")
    with Ultron(settings) as ultron:
        put(ultron, settings, "a", PHRASE)
        run = CliRunner().invoke
        dry = run(cli, ["erase", "--session", "agent/a.jsonl", "--dry-run", "--json"])
        assert dry.exit_code == 0 and json.loads(dry.output)["named"] == "agent/a.jsonl"
        refused = run(cli, ["erase", "--session", "agent/a.jsonl"], input="n\n")
        assert refused.exit_code != 0 and "permanently" in refused.output
        assert "messages" in tables_holding(ultron, PHRASE)
        done = run(cli, ["erase", "--session", "agent/a.jsonl", "--yes"])
        assert done.exit_code == 0 and "Erased." in done.output
        assert tables_holding(ultron, PHRASE) == set()


@pytest.mark.parametrize("named", ["", "x" * 1000, "\x00", None, "%", "\ud800"])
def test_an_odd_name_is_refused_and_not_repeated_at_length(ultron, named):
    with pytest.raises((InputError, NotFoundError)) as refused:
        ultron.erase_session(named)
    assert len(str(refused.value)) < 500
