"""The schema that all migrations make is the one that is written down, and an old database keeps its rows."""

import shutil
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from psycopg import sql
from psycopg.types.json import Jsonb

from ultron_core.memories import Body
from ultron_core.models import QualityLabel
from ultron_core.steps.rows.body import body_digest, words_digest
from ultron_core.store.database import Database
from ultron_core.store.migrate import FOLDER, migrate

WRITTEN = Path(__file__).parent / "schema.txt"

NOW = datetime(2026, 1, 1, tzinfo=UTC)
#: columns of rows that a migration does not look at
OWNER = {"account_id": "default", "agent_id": "a", "created_at": NOW, "updated_at": NOW}
READ = {"content_sha256": "x", "bytes": 1, "format": "openai", "changed_at": NOW, "lines": Jsonb({})}
READ |= {"message_count": 1, "parser_version": "1"}
CUT = {"generation": 0, "thread": "main", "start_line": 1, "end_line": 1, "fingerprint": "f", "closed": True}
CUT |= {"segmenter": "1", "redaction_version": "1"}
SUMMARY = {"overall_score": 0.5, "memory_score": 0.5, "success_probability": 0.5}

SCHEMA = """
    SELECT line FROM (
    SELECT 'column ' || table_name || '.' || column_name || ' ' || udt_name
        || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END
        || coalesce(' default ' || column_default, '') AS line
    FROM information_schema.columns WHERE table_schema = 'ultron'
    UNION ALL
    SELECT 'index ' || regexp_replace(indexdef, '^CREATE ', '') FROM pg_indexes WHERE schemaname = 'ultron'
    UNION ALL
    SELECT 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'ultron'::regnamespace AND contype <> 'n'
    UNION ALL
    SELECT 'trigger ' || pg_get_triggerdef(oid) FROM pg_trigger
    WHERE NOT tgisinternal AND tgrelid::regclass::text IN (
        SELECT tablename FROM pg_tables WHERE schemaname = 'ultron')
    ) lines ORDER BY line COLLATE "C"
"""


@pytest.fixture
def empty(new_database):
    with Database.open(new_database()) as database:
        yield database


def insert(conn, table, **values):
    names = sql.SQL(", ").join(sql.Identifier(name) for name in values)
    places = sql.SQL(", ").join(sql.Placeholder(name) for name in values)
    conn.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(sql.Identifier(table), names, places), values
    )


def schema(database):
    with database.direct() as conn:
        return "".join(row["line"] + "\n" for row in conn.execute(SCHEMA))


def migrate_before(database, number, folder):
    """Bring a database to the schema that stood before the migration of that number."""
    folder.mkdir()
    for migration in sorted(FOLDER.iterdir()):
        if migration.name < number:
            copy = shutil.copytree if migration.is_dir() else shutil.copy
            copy(migration, folder / migration.name)
    migrate(database, folder)


def test_all_migrations_make_the_schema_that_is_written_down(empty):
    migrate(empty)
    made = schema(empty)
    assert made == WRITTEN.read_text("utf-8"), (
        f"the schema changed: if you meant it, write what this test made into {WRITTEN.name} and read the diff"
    )


def test_a_database_of_the_first_version_gets_the_same_schema_and_keeps_its_rows(empty, tmp_path):
    first = tmp_path / "first"
    first.mkdir()
    shutil.copytree(FOLDER / "0001_schema", first / "0001_schema")
    migrate(empty, first)
    with empty.transaction() as conn:
        conn.execute(
            "INSERT INTO memories (id, account_id, agent_id, memory_type, content, extractor, redaction_version,"
            " body_sha256, created_at, updated_at) VALUES (gen_random_uuid(), 'default', 'a', 'error', 'old words',"
            " '3', '1', 'x', now(), now())"
        )
        conn.execute(
            "INSERT INTO memory_vectors (memory_id, model_id, account_id, memory_type, status, embedding, exact)"
            " SELECT id, 'm', 'default', 'error', 'active', '[1,0]', '[1,0]' FROM memories"
        )
    migrate(empty)
    assert schema(empty) == WRITTEN.read_text("utf-8")
    with empty.transaction() as conn:
        row = conn.execute(
            "SELECT m.content, m.extractor FROM memories m JOIN memory_vectors v ON v.memory_id = m.id"
        )
        assert row.fetchone() == {"content": "old words", "extractor": "offline:3"}


def test_labels_from_before_lose_what_is_empty_in_them_and_nothing_else(empty, tmp_path):
    migrate_before(empty, "0023", tmp_path / "before")
    metrics = {
        "safety": {"score": 1.0, "weight": 0.0, "lines": [], "note": ""},
        "completeness": {"score": 0.5, "weight": 2.0, "lines": [3, 7], "note": ""},
        "goal_reached": {"score": 0.5, "weight": 0.0, "lines": [], "note": "no verdict in the log"},
        "own": "not an object",
    }
    labels = {
        0: {"summary": {"overall_score": 0.5}, "metrics": metrics, "labeler": "offline:1"},
        1: {"summary": {"overall_score": 0.5}, "metrics": {}, "labeler": "offline:1"},
        2: None,
        3: {"verdict": "of somebody else"},
    }
    with empty.transaction() as conn:
        session = uuid4()
        log = {**OWNER, "id": session, "session_file": "x.jsonl"}
        insert(conn, "sessions", **log, partition_key="a/x.jsonl", **READ)
        for place, label in labels.items():
            segment = {**OWNER, "id": uuid4(), "session_id": session, "session_file": "x.jsonl", **CUT}
            where = {
                "segment_index": place,
                "start_message": place,
                "end_message": place + 1,
                "occurrence": place,
            }
            insert(conn, "task_segments", **segment, **where, quality_metrics=label and Jsonb(label))
    migrate(empty)
    with empty.transaction() as conn:
        rows = conn.execute("SELECT segment_index, quality_metrics FROM task_segments").fetchall()
    kept = {
        "safety": {"score": 1.0, "weight": 0.0},
        "completeness": {"score": 0.5, "weight": 2.0, "lines": [3, 7]},
        "goal_reached": {"score": 0.5, "weight": 0.0, "note": "no verdict in the log"},
        "own": "not an object",
    }
    found = {row["segment_index"]: row["quality_metrics"] for row in rows}
    assert found == {**labels, 0: {**labels[0], "metrics": kept}}
    label = QualityLabel.from_json(
        {**labels[0], "summary": SUMMARY, "metrics": {k: kept[k] for k in list(kept)[:3]}}
    )
    assert label.metrics["safety"].lines == () and label.metrics["safety"].note == ""


def memory_of(conn, name, sessions, *, status="active", **backing):
    """A memory as version 28 kept it, contributed to by these sessions; None is an upload."""
    memory = uuid4()
    words = {"content": name, "context": "", "resolution": ""}
    own = {"id": memory, "memory_type": "error", "status": status, "extractor": "1", "redaction_version": "1"}
    insert(conn, "memories", **OWNER, **own, **words, body_sha256=name, **backing)
    insert(conn, "memory_usage", memory_id=memory, account_id="default", tier="HOT")
    for session in sessions:
        origin = {"id": uuid4(), "memory_id": memory, "account_id": "default", "agent_id": "a"}
        kind = {"kind": "upload"} if session is None else {"kind": "segment", **session}
        trust = "upload" if session is None else "agent"
        insert(conn, "memory_sources", **origin, **kind, created_at=NOW, trust=trust)
        part = {**origin, "id": uuid4(), "source_id": origin["id"], "merged": False, "contributed_at": NOW}
        insert(conn, "memory_contributions", **part, **words, trust=trust)
    in_both = {"memory_id": memory, "account_id": "default", "memory_type": "error", "status": status}
    lexical = {"terms": [1], "weights": "{1:1}/1000000000", "length": 1, "average_length": 1}
    insert(conn, "memory_search", **in_both, **lexical)
    insert(conn, "memory_vectors", **in_both, model_id="m", embedding="[1,0]", exact="[1,0]")
    return memory


def cluster_of(conn, *members):
    cluster = uuid4()
    own = {"account_id": "default", "model_id": "m", "topic": "t", "topic_by": "words", "centroid": "[0,1]"}
    times = {"created_at": NOW, "updated_at": NOW}
    insert(conn, "clusters", cluster_id=cluster, size=len(members), **own, **times)
    for member in members:
        insert(
            conn,
            "cluster_members",
            memory_id=member,
            cluster_id=cluster,
            account_id="default",
            joined_at=NOW,
        )
    return cluster


def test_what_only_an_agent_said_in_one_session_goes_to_its_shelf(empty, tmp_path):
    migrate_before(empty, "0029", tmp_path / "before")
    claimed = {"trust": "agent", "proof": "claimed"}
    with empty.transaction() as conn:
        given = []
        for name, fingerprint in (("x", "f"), ("copy of x", "f"), ("y", "g")):
            session, segment = uuid4(), uuid4()
            log = {**OWNER, "session_file": name}
            insert(conn, "sessions", **log, id=session, partition_key=name, **READ)
            place = {"segment_index": 0, "start_message": 0, "end_message": 1, "occurrence": 0}
            cut = {**CUT, "fingerprint": fingerprint, **place}
            insert(conn, "task_segments", **log, id=segment, session_id=session, **cut)
            given.append({"session_id": session, "segment_id": segment})
        one, copy_of_one, other = given
        alone = memory_of(conn, "alone", [one], **claimed)
        proven = memory_of(conn, "proven", [one], trust="agent", proof="check")
        copied = memory_of(conn, "copied", [one, copy_of_one], **claimed)
        memory_of(conn, "repeated", [one, other], **claimed)
        memory_of(conn, "uploaded too", [one, None], **claimed)
        memory_of(conn, "a tool's", [one], trust="tool", proof="claimed")
        memory_of(conn, "archived", [one], status="archived", **claimed)
        confirmed = memory_of(conn, "confirmed", [one], **claimed)
        verdict = {"memory_id": confirmed, "account_id": "default", "verdict": "confirmed"}
        insert(conn, "memory_verdicts", **verdict, body_sha256="confirmed", given_by="", given_at=NOW)
        edited = memory_of(conn, "edited", [one], **claimed)
        old = {"content": "other words", "context": "", "resolution": "", "tags": []}
        version = {"memory_id": edited, "account_id": "default", "version": 1, "changed_by": ""}
        insert(conn, "memory_versions", **version, **old, changed_at=NOW)
        kept = cluster_of(conn, alone, proven)
        cluster_of(conn, copied)
    migrate(empty)
    with empty.transaction() as conn:
        rows = conn.execute(
            "SELECT m.content, m.status, m.proof, s.status AS searched, v.status AS embedded, u.tier FROM memories m"
            " JOIN memory_search s ON s.memory_id = m.id JOIN memory_vectors v ON v.memory_id = m.id"
            " JOIN memory_usage u ON u.memory_id = m.id"
        ).fetchall()
        sizes = conn.execute("SELECT cluster_id, size, centroid::text AS centroid FROM clusters").fetchall()
    assert all(row["status"] == row["searched"] == row["embedded"] for row in rows)
    assert {row["content"]: row["status"] for row in rows if row["status"] != "active"} == {
        "alone": "claimed",
        "copied": "claimed",
        "archived": "archived",
    }
    assert [row["content"] for row in rows if row["proof"] == "repeated"] == ["repeated"]
    assert {row["content"] for row in rows if row["tier"] == "WARM"} == {"alone", "copied"}
    assert {row["cluster_id"]: (row["size"], row["centroid"]) for row in sizes} == {
        kept: (1, "[1,0]"),
    }


def test_the_word_before_a_doubtful_cure_becomes_a_field(empty, tmp_path):
    """In each language that it was written in, wherever these words stand; what a caller wrote stays."""
    migrate_before(empty, "0032", tmp_path / "before")
    with empty.transaction() as conn:
        session, segment = uuid4(), uuid4()
        log = {**OWNER, "session_file": "x"}
        insert(conn, "sessions", **log, id=session, partition_key="x", **READ)
        place = {"segment_index": 0, "start_message": 0, "end_message": 1, "occurrence": 0}
        insert(conn, "task_segments", **log, id=segment, session_id=session, **CUT, **place)
        own = {"session_id": session, "segment_id": segment}

        def stored(name, resolution, *tags, by=own):
            words = {"resolution": resolution, "tags": list(tags)}
            return told_of(conn, name, words, by)

        doubtful = stored("doubtful", "Unverified: use Node 18.", "unverified", "npm")
        stored("中文", "未经验证：换成镜像。", "unverified")
        several = stored("several", "Unverified: use Node 18.", "unverified")
        conn.execute(
            "UPDATE memories SET resolution = 'Take 20.\nUnverified: use Node 18.' WHERE id = %s", [several]
        )
        stored("proven", "use Node 18.")
        stored("own word", "Unverified: use Node 18.", "unverified", by=None)
        edited = stored("edited", "Unverified: use Node 18.", "unverified")
        conn.execute("UPDATE memories SET resolution = 'Take 20.' WHERE id = %s", [edited])
        old = {
            "content": "edited",
            "context": "",
            "resolution": "Unverified: use Node 18.",
            "tags": ["unverified"],
        }
        version = {"memory_id": edited, "account_id": "default", "version": 1, "changed_by": ""}
        insert(conn, "memory_versions", **version, **old, changed_at=NOW)
        body = Body("doubtful", "", "Unverified: use Node 18.")
        verdict = {"memory_id": doubtful, "account_id": "default", "verdict": "junk", "given_by": ""}
        digests = {"body_sha256": "doubtful", "words_sha256": words_digest(body)}
        insert(conn, "memory_verdicts", **verdict, **digests, given_at=NOW)
        decision = {
            "id": uuid4(),
            "memory_id": doubtful,
            "account_id": "default",
            "decision": "merge",
            "decided_by": "rules",
        }
        insert(
            conn,
            "merge_decisions",
            **decision,
            reason="same",
            body_before=Jsonb(asdict(body)),
            created_at=NOW,
        )
    migrate(empty)
    with empty.transaction() as conn:
        memories = conn.execute("SELECT * FROM memories").fetchall()
        parts = conn.execute("SELECT content, resolution, cure, tags FROM memory_contributions").fetchall()
        (before,) = conn.execute("SELECT resolution, cure, tags FROM memory_versions").fetchall()
        (given,) = conn.execute("SELECT body_sha256, words_sha256 FROM memory_verdicts").fetchall()
        (merged,) = conn.execute("SELECT body_before FROM merge_decisions").fetchall()
        vectors = {row["memory_id"] for row in conn.execute("SELECT memory_id FROM memory_vectors")}
    assert {row["content"]: (row["resolution"], row["cure"], row["tags"]) for row in memories} == {
        "doubtful": ("use Node 18.", "claimed", ["npm"]),
        "中文": ("换成镜像。", "claimed", []),
        "several": ("Take 20.\nuse Node 18.", "claimed", []),
        "proven": ("use Node 18.", "verified", []),
        "own word": ("Unverified: use Node 18.", "none", ["unverified"]),
        "edited": ("Take 20.", "none", []),
    }
    found = {row["content"]: row for row in memories}
    assert found["doubtful"]["overview_l1"] == "doubtful\nFix: use Node 18."
    for name in ("doubtful", "中文", "several"):
        body = Body(name, "", found[name]["resolution"])
        assert found[name]["body_sha256"] == body_digest("error", body)
        assert found[name]["id"] not in vectors, "they are made again of the words that stand now"
    assert found["proven"]["id"] in vectors
    assert {row["content"]: row["cure"] for row in parts} == {
        "doubtful": "claimed", "中文": "claimed", "several": "claimed", "proven": "verified", "own word": "none",
        "edited": "claimed",
    }  # fmt: skip
    assert before == {"resolution": "use Node 18.", "cure": "claimed", "tags": []}
    clean = Body("doubtful", "", "use Node 18.")
    assert given == {"body_sha256": body_digest("error", clean), "words_sha256": words_digest(clean)}
    assert merged["body_before"] == asdict(clean)


def told_of(conn, name, words, by):
    """A memory as version 31 kept it, of one contribution: of this segment, or of a caller."""
    memory, source = uuid4(), uuid4()
    trust, kind = ("upload", {"kind": "upload"}) if by is None else ("agent", {"kind": "segment", **by})
    body = {"content": name, "context": "", **words}
    own = {
        "id": memory,
        "memory_type": "error",
        "redaction_version": "1",
        "body_sha256": name,
        "trust": trust,
    }
    made = {
        "extractor": "direct" if by is None else "model:m#1",
        "overview_l1": f"{name}\nFix: {words['resolution']}",
    }
    insert(conn, "memories", **OWNER, **own, **made, **body)
    whose = {"memory_id": memory, "account_id": "default", "agent_id": "a"}
    insert(conn, "memory_sources", **whose, **kind, id=source, created_at=NOW, trust=trust)
    part = {
        **whose,
        "id": uuid4(),
        "source_id": source,
        "merged": False,
        "contributed_at": NOW,
        "trust": trust,
    }
    insert(conn, "memory_contributions", **part, **body)
    vector = {"memory_id": memory, "account_id": "default", "memory_type": "error", "status": "active"}
    insert(conn, "memory_vectors", **vector, model_id="m", embedding="[1,0]", exact="[1,0]")
    return memory
