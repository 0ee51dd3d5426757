"""A word of its own in every text column of every table: no scope leaves one of it, and none takes a neighbour's."""

import contextlib
import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from tests.support.memories import StubEmbedder, axis, rows
from tests.support.places import files_text
from tests.support.plants import NO_WORDS, columns_holding, plant, text_columns
from tests.support.worlds import rows_written, solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError, NotFoundError, UnknownNameError
from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_core.store.registry import ERASURE, FOUND_BY

GONE, KEPT, SHARED = "quetzalite", "wyvernite", "zygomite"
NOW = datetime.now(UTC)
#: columns that nothing of one session or agent can be in
OF_ACCOUNT = {name for name, rule in ERASURE.items() if rule in ("account", "kept", "answer")} | {
    "lexical_df"
}
#: what erasing anything takes of the whole account: it names no session
OF_NOBODY = {"llm_cache.answer", "llm_cache.model", "llm_calls.error", "redaction_replays.reached", "taste.reason",
             "taste.coefficients"}  # fmt: skip
SCOPES = {
    "session": {"session": f"agent-{GONE}/{GONE}.jsonl"},
    "project": {"project": GONE},
    "agent": {"agent": f"agent-{GONE}"},
    "before": {"before": NOW - timedelta(days=30)},
    "account": {"account": "default"},
}


@pytest.fixture
def ultron(settings):
    embedder = StubEmbedder({SHARED: axis(3)})
    with Ultron(settings, embedder=embedder) as opened:
        yield opened


def live(ultron, settings, word, whole, text=True):
    """A session of an agent of its own, in a project of its own, with all that may be made of one; `whole`: also a text
    and a memory that was handed in."""
    agent, log = f"agent-{word}", settings.sessions_dir / f"agent-{word}" / f"{word}.jsonl"
    shared = f"Always run `make {SHARED}` before a release of {SHARED}."
    write_log(
        log, solved("one", word, wish=None), solved("two", word, wish=shared), cwd=f"/srv/{word}/{word}"
    )
    ultron.ingest([log], agent, process=True)
    if whole:
        ultron.upload_memory(f"The {word} server listens on a port of its own.", agent_id=agent, project=word)
    if whole and text:
        ultron.ingest_text(f"Error: {word} fails with E1. Cause: no {word}. Fix: pip install {word}.", agent)
    export_dataset(ultron.runtime, ExportRequest(min_quality_score=0.0))
    return log


def mark(ultron, word):
    """The word in every free column of what its agent has."""
    agent = f"agent-{word}"
    with ultron.runtime.database.transaction() as conn:
        _link(conn, agent, word)
        own = f"memory_id IN (SELECT id FROM memories WHERE agent_id = '{agent}')"
        for table, rule in ERASURE.items():
            column = FOUND_BY.get(table, "memory_id")
            condition = {
                "file": f"agent_id = '{agent}'",
                "session": f"session_id IN (SELECT id FROM sessions WHERE agent_id = '{agent}')",
                "segment": f"segment_id IN (SELECT id FROM task_segments WHERE agent_id = '{agent}')",
                "memory": own.replace("memory_id", column, 1),
                "lease": f"row_id IN (SELECT id FROM sessions WHERE agent_id = '{agent}')",
            }.get(rule)
            if condition:
                plant(conn, table, condition, word, {})
        # one that others' memories stand in is named by whoever names it
        alone = f"SELECT cluster_id FROM cluster_members GROUP BY 1 HAVING bool_and({own})"
        plant(conn, "clusters", f"cluster_id IN ({alone})", word, {})


def put(conn, table, **values):
    names = sql.SQL(", ").join(map(sql.Identifier, values))
    places = sql.SQL(", ").join(map(sql.Placeholder, values))
    query = sql.SQL("INSERT INTO {} (account_id, {}) VALUES ('default', {})")
    conn.execute(query.format(sql.Identifier(table), names, places), values)


def _link(conn, agent, word):
    """Rows that only other work makes."""
    one, two = [
        row["id"]
        for row in conn.execute(
            "SELECT id FROM memories WHERE agent_id = %(agent)s ORDER BY content LIMIT 2", {"agent": agent}
        )
    ]
    session = conn.execute("SELECT * FROM sessions WHERE agent_id = %(agent)s", {"agent": agent}).fetchone()
    own, file = session["id"], session["session_file"]
    put(conn, "memory_links", from_id=one, to_id=two, kind="similar_to", reason=word, created_at=NOW)
    body = {"content": word, "context": word, "resolution": word, "tags": [word], "changed_by": word}
    put(conn, "memory_versions", memory_id=one, version=0, changed_at=NOW, **body)
    verdict = {"verdict": "useful", "body_sha256": "x", "given_by": word}
    put(conn, "memory_verdicts", memory_id=one, given_at=NOW, **verdict)
    put(conn, "idempotency_keys", agent_id=agent, key=word, request_hash="x", memory_id=one, created_at=NOW)
    told = {"source": word, "success": True, "reward": 1.0, "imported_at": NOW}
    put(conn, "outcomes", agent_id=agent, session_file=file, **told)
    held = {"holder": own, "host": word, "pid": 1, "expires_at": NOW - timedelta(days=1)}
    put(conn, "leases", row_id=own, stage="segments", **held)
    put(conn, "drops", agent_id=agent, session_id=own, stage="segment", reason=word, created_at=NOW)
    for statement in (
        "UPDATE merge_decisions SET body_before = jsonb_build_object('content', %(word)s::text)"
        " WHERE memory_id = %(one)s",
        "UPDATE memories SET context = %(word)s || ' before', resolution = %(word)s WHERE id = %(one)s",
        "UPDATE memory_contributions SET context = %(word)s || ' before', resolution = %(word)s"
        " WHERE memory_id = %(one)s",
        "UPDATE sessions SET tools = jsonb_build_array(jsonb_build_object('name', %(word)s::text)),"
        " lines = lines || jsonb_build_object('word', %(word)s::text) WHERE id = %(session)s",
        "UPDATE task_segments SET quality_metrics = quality_metrics || jsonb_build_object('word', %(word)s::text)"
        " WHERE session_id = %(session)s",
    ):
        conn.execute(statement, {"one": one, "word": word, "session": own})


def live_alone(conn, word):
    """Rows of the account that belong to nobody in it."""
    said = Jsonb({"word": word})
    put(conn, "llm_cache", key="k", stage="label", model=word, answer=word, created_at=NOW)
    figures = {"input_tokens": 1, "output_tokens": 1, "cost": 0, "latency_ms": 1}
    put(conn, "llm_calls", stage="label", model=word, prompt_hash="x", error=word, created_at=NOW, **figures)
    put(conn, "redaction_replays", place="source_files", version="x", reached=word, updated_at=NOW)
    change = {"kind": "merge", "cosine": 1, "cohesion": 1, "size": 1, "other_size": 1, "created_at": NOW}
    put(conn, "cluster_changes", id=uuid4(), cluster_id=uuid4(), other_id=uuid4(), reason=word, **change)
    put(conn, "taste", coefficients=said, reason=word, verdicts=0, fitted_at=NOW)
    put(conn, "api_keys", id="x", hash="x", name=word, agent_id=word, scopes=[word], created_at=NOW)
    run = {
        "id": uuid4(),
        "status": "stopped",
        "base_hash": "x",
        "dataset_hash": "x",
        "seed": 1,
        "started_at": NOW,
    }
    names = dict.fromkeys(("name", "base", "dataset", "device", "path", "error"), word)
    put(conn, "training_runs", settings=said, report=said, **run, **names)
    put(conn, "training_rows", run_id=run["id"], content_sha256=word, group_key="g", fate="train")
    made = {"id": uuid4(), "name": word, "version": "x", "path": word, "content_hash": "x", "rows": 0}
    put(conn, "sft_exports", manifest=said, created_at=NOW, **made)
    conn.execute(
        "UPDATE clusters SET skill_slug = %(word)s, superseded_slugs = ARRAY[%(word)s]", {"word": word}
    )


def holding(ultron, word):
    with ultron.runtime.database.transaction() as conn:
        return columns_holding(conn, word)


def age(ultron, word):
    """What this agent gave is a year old."""
    agent = {"agent": f"agent-{word}"}
    with ultron.runtime.database.transaction() as conn:
        for table, column in (
            ("sessions", "changed_at"),
            ("memory_sources", "created_at"),
            ("raw_uploads", "created_at"),
        ):
            conn.execute(
                f"UPDATE {table} SET {column} = now() - interval '1 year' WHERE agent_id = %(agent)s", agent
            )


def test_every_text_column_is_planted(ultron, settings):
    live(ultron, settings, GONE, True)
    mark(ultron, GONE)
    with ultron.runtime.database.transaction() as conn:
        live_alone(conn, GONE)
        planted = columns_holding(conn, GONE)
        columns = {f"{table}.{column}" for table, column in text_columns(conn) if column not in NO_WORDS}
    marks = {name for name, rule in ERASURE.items() if rule == "mark"}
    nowhere = {c for c in columns - planted if c.partition(".")[0] not in marks}
    assert nowhere == set(), "a column that no test of erasing plants"


@pytest.mark.parametrize("kind", SCOPES)
def test_no_scope_leaves_a_word_of_it_nor_takes_one_of_a_neighbour(ultron, settings, kind):
    whole = kind != "session"
    log = live(ultron, settings, GONE, whole, text=kind != "project")  # a text is of no project
    if kind != "account":
        live(ultron, settings, KEPT, whole)
        mark(ultron, KEPT)
    mark(ultron, GONE)
    if kind == "account":
        with ultron.runtime.database.transaction() as conn:
            live_alone(conn, GONE)
    age(ultron, GONE)
    before = holding(ultron, KEPT)
    notes(settings, log)
    dry = ultron.erase(**SCOPES[kind], dry_run=True)
    assert holding(ultron, KEPT) == before and dry.counts["sessions"] == 1 and dry.counts["messages"] > 10
    done = ultron.erase(**SCOPES[kind], datasets=True)
    assert done.counts == dry.counts and done.logs == (log,) == dry.logs
    left = {c for c in holding(ultron, GONE) if kind == "account" or ERASURE[c.partition(".")[0]] != "kept"}
    assert left == set()
    assert before - holding(ultron, KEPT) <= OF_NOBODY
    assert not [name for name, text in files_text(settings.store.home).items() if GONE in text]
    if kind != "account":
        spoken = rows(ultron, f"SELECT content FROM memories WHERE content LIKE '%%{SHARED}%%'")
        assert spoken, "what a neighbour gave to the same memory stays"
    again = rows_written(ultron.runtime.database)
    with contextlib.suppress(NotFoundError, UnknownNameError):
        ultron.erase(**SCOPES[kind])
    assert rows_written(ultron.runtime.database) == again, "nothing to do writes nothing"


def notes(settings, log):
    """What hooks and our own log files say of it."""
    spool = settings.store.home / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    (spool / "0123456789abcdef.json").write_text(
        json.dumps({"agent_id": "a", "path": str(log), "over": False})
    )
    (settings.store.home / "bridge.log").write_text(f"session-end: {log} away\nprompt: another\n", "utf-8")


def test_a_memory_goes_with_what_its_agent_gave_and_others_keep_theirs(ultron, settings):
    mine = ultron.upload_memory(f"Use {SHARED} for builds.", tags=[GONE], agent_id="one")
    ultron.upload_memory(f"Use {SHARED} for builds.", tags=[KEPT], agent_id="two")
    assert rows(ultron, "SELECT count(*) AS n FROM memories")[0]["n"] == 1
    report = ultron.erase(memory=mine.id)
    assert report.reworded == 1
    assert holding(ultron, GONE) == set()
    (left,) = ultron.get_memory_details([mine.id])
    assert KEPT in left.tags and left.agent_id == "two"
    before = rows_written(ultron.runtime.database)
    with pytest.raises(NotFoundError):
        ultron.erase(memory=mine.id)
    assert rows_written(ultron.runtime.database) == before, "again it takes nothing of the others"
    with pytest.raises(NotFoundError):
        ultron.erase(memory="3f2b6c1e-0000-4000-8000-000000000000")


def test_a_memory_that_was_erased_is_not_taken_from_its_log_again(ultron, settings):
    log = write_log(settings.sessions_dir / "a" / "a.jsonl", solved("one", GONE))
    ultron.ingest([log], "a", process=True)
    gone = {row["id"] for row in rows(ultron, "SELECT id FROM memories")}
    for memory in gone:
        ultron.erase(memory=memory)
    with ultron.runtime.database.transaction() as conn:
        conn.execute("UPDATE task_segments SET memory_extracted = 0")
    ultron.process_pending()
    assert rows(ultron, "SELECT 1 FROM memories") == []


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"session": "a", "agent": "b"},
        {"account": "another"},
        {"account": ""},
        {"agent": "nobody"},
        {"project": "nothing"},
        {"before": datetime(2026, 1, 1)},
        {"before": "yesterday"},
        {"memory": "x"},
        {"agent": "\x00"},
        {"project": "x" * 1000},
        {"session": 5},
    ],
)
def test_what_names_nothing_is_refused_and_writes_nothing(ultron, settings, given):
    live(ultron, settings, KEPT, False)
    before = rows_written(ultron.runtime.database)
    with pytest.raises(InputError) as refused:
        ultron.erase(**given)
    assert len(str(refused.value)) < 600
    assert rows_written(ultron.runtime.database) == before


def test_a_near_name_is_told(ultron, settings):
    live(ultron, settings, KEPT, False)
    with pytest.raises(UnknownNameError, match=f"Did you mean agent-{KEPT}"):
        ultron.erase(agent=f"agent-{KEPT[:-1]}")
