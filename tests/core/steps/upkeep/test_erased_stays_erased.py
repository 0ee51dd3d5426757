"""What was erased is not read again, whichever way it comes: with the next ingest, the drop folder, a hook, a copy."""

import json
import os
import time

import pytest

from tests.support.memories import StubEmbedder, rows, tables_holding
from tests.support.worlds import rows_written, solved, write_log
from ultron_core.client import Ultron
from ultron_core.serve.worker import deliver_spool
from ultron_core.steps.files.drop_folder import scan
from ultron_core.steps.files.ingest import ingest_files

PHRASE = "quetzalite"


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder()) as opened:
        yield opened


@pytest.fixture
def log(ultron, settings):
    """A log of the drop folder that was read and erased, and lies there again, grown."""
    path = write_log(settings.sessions_dir / "agent" / "a.jsonl", solved("one", PHRASE))
    ultron.ingest([path], "agent", process=True)
    ultron.erase(session="agent/a.jsonl")
    write_log(path, solved("one", PHRASE), solved("two", PHRASE))
    os.utime(path, (time.time() - 60,) * 2)
    return path


def is_gone(ultron):
    ultron.process_pending()
    return tables_holding(ultron, PHRASE) == set() and rows(ultron, "SELECT 1 FROM source_files") == []


def test_the_next_ingest_says_that_it_was_erased(ultron, log):
    (result,) = ultron.ingest([log], "agent", process=True)["results"]
    assert (result["status"], result["success"]) == ("erased", True) and is_gone(ultron)


def test_a_look_at_the_drop_folder_counts_it_and_asks_for_nothing(ultron, log):
    before = rows_written(ultron.runtime.database)
    seen = scan(ultron.runtime)
    assert (seen.changed, seen.erased) == ((), 1)
    assert rows_written(ultron.runtime.database) == before


def test_the_same_bytes_under_another_name_are_asked_for_once(ultron, settings, log):
    body = "".join(json.dumps(line) + "\n" for line in solved("one", PHRASE))
    for name in ("b", "c"):
        copy = log.with_name(f"{name}.jsonl")
        copy.write_text(body, "utf-8")
        os.utime(copy, (time.time() - 60,) * 2)
    found = scan(ultron.runtime).changed
    assert [seen.key for seen in found] == ["agent/b.jsonl", "agent/c.jsonl"]
    assert {r.status for r in ingest_files(ultron.runtime, [seen.file for seen in found])} == {"erased"}
    assert scan(ultron.runtime).erased == 3 and is_gone(ultron)


def test_a_log_with_an_id_of_its_own_is_known_by_it(ultron, settings, tmp_path):
    lines = [
        {
            "type": "user",
            "uuid": f"{n}",
            "sessionId": "5a0",
            "message": {"role": "user", "content": f"{PHRASE} {n}"},
        }
        for n in range(3)
    ]
    first, other = tmp_path / "one" / "x.jsonl", tmp_path / "two" / "y.jsonl"
    for path, own in ((first, lines[:2]), (other, lines)):
        path.parent.mkdir()
        path.write_text("".join(json.dumps(line) + "\n" for line in own), "utf-8")
    ultron.ingest([first], "agent")
    key = rows(ultron, "SELECT partition_key FROM sessions")[0]["partition_key"]
    ultron.erase(session=key)
    assert first.exists()
    assert ultron.ingest([other], "agent")["results"][0]["status"] == "erased" and is_gone(ultron)


def test_a_hook_s_note_and_a_log_that_is_sent_in_bring_nothing(ultron, settings, log):
    spool = settings.store.home / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    note = {"agent_id": "agent", "path": str(log), "over": True}
    (spool / "0123456789abcdef.json").write_text(json.dumps(note), "utf-8")
    assert deliver_spool(ultron, settings.store.home, [settings.sessions_dir]) == 1
    assert ultron.ingest_log(log.read_bytes(), "agent", "a.jsonl").status == "erased"
    assert is_gone(ultron)


def test_reading_it_again_on_purpose_lifts_it(ultron, log):
    (result,) = ultron.ingest([log], "agent", again=True, process=True)["results"]
    assert result["status"] == "new" and "memories" in tables_holding(ultron, PHRASE)
    assert scan(ultron.runtime).erased == 0
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"role": "user", "content": "and more"}) + "\n")
    assert ultron.ingest([log], "agent")["results"][0]["status"] == "appended"


def test_no_word_of_it_is_kept_to_know_it_by(ultron, log):
    stored = rows(ultron, "SELECT account_id, digest FROM erased_logs")
    assert stored and all(
        len(bytes(row["digest"])) == 32 and row["account_id"] == "default" for row in stored
    )
    assert rows(
        ultron, "SELECT column_name FROM information_schema.columns WHERE table_name = 'erased_logs'"
    ) == [
        {"column_name": "account_id"},
        {"column_name": "digest"},
    ]


def test_a_log_outside_the_drop_folder_stays_unless_it_is_asked_for(ultron, tmp_path):
    logs = [write_log(tmp_path / "own" / f"{name}.jsonl", solved(name, PHRASE)) for name in ("a", "b")]
    ultron.ingest(logs, "agent")
    keys = rows(ultron, "SELECT partition_key AS key FROM sessions ORDER BY partition_key")
    said = ultron.erase(session=keys[0]["key"]).left
    assert logs[0].exists() and any(
        str(logs[0]) in sentence and "--with-file" in sentence for sentence in said
    )
    ultron.erase(session=keys[1]["key"], with_file=True)
    assert logs[0].exists() and not logs[1].exists()
