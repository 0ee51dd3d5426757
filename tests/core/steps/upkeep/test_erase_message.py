"""The words of one message are erased: its row stays, empty, and nothing that was made of them stays anywhere."""

import json

import pytest

from tests.core.steps.upkeep.test_erase import packed
from tests.support.memories import StubEmbedder, rows, tables_holding
from tests.support.places import files_text
from tests.support.worlds import rows_written, solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError, NotFoundError

PHRASE, OTHER = "quetzalite", "wyvernite"


@pytest.fixture
def ultron(settings):
    with Ultron(settings, embedder=StubEmbedder()) as opened:
        yield opened


@pytest.fixture(params=["drop folder", "elsewhere"])
def log(request, settings, tmp_path):
    """Two tasks, of which only the wish of the first holds the word."""
    folder = settings.sessions_dir / "agent" if request.param == "drop folder" else tmp_path / "elsewhere"
    wish = f"Always run `make {PHRASE}` before the tests of one, or they fail with a ModuleNotFoundError."
    return write_log(folder / "a.jsonl", solved("one", "numpy", wish), solved("two", OTHER))


def line_of(log, word):
    lines = log.read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if word in line)


def pointer(ultron, log):
    key = rows(ultron, "SELECT partition_key FROM sessions")[0]["partition_key"]
    return f"{key}:{line_of(log, PHRASE)}"


def said(ultron):
    return rows(ultron, "SELECT seq, role, content, start_line FROM messages ORDER BY session_id, seq")


def test_the_words_go_from_everything_and_the_row_stays_empty(ultron, settings, log):
    ultron.ingest([log], "agent", process=True)
    before = said(ultron)
    assert {"messages", "memories", "memory_sources"} <= tables_holding(ultron, PHRASE)
    assert packed(ultron, PHRASE) == 1
    report = ultron.erase(message=pointer(ultron, log))
    assert report.counts["messages"] == 1 and report.counts["memories"] >= 1
    assert tables_holding(ultron, PHRASE) == set() and packed(ultron, PHRASE) == 0
    assert tables_holding(ultron, OTHER) >= {"messages"} and packed(ultron, OTHER) == 1
    after = said(ultron)
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert [new for _, new in changed] == [{**changed[0][0], "content": ""}]
    assert not any(PHRASE in text for text in files_text(settings.store.home).values())
    ultron.process_pending()
    assert tables_holding(ultron, PHRASE) == set() and "memories" in tables_holding(ultron, OTHER)
    lines = rows(ultron, "SELECT lines FROM sessions")[0]["lines"]
    assert lines["skipped"]["erased"] == 1
    assert lines["total"] == lines["message"] + lines["part"] + lines["metadata"] + sum(
        lines["skipped"].values()
    )


def test_it_does_not_come_back_with_the_next_ingest_or_when_the_log_grows(ultron, log):
    ultron.ingest([log], "agent", process=True)
    ultron.erase(message=pointer(ultron, log))
    ultron.ingest([log], "agent", process=True)
    ultron.process_pending()
    assert tables_holding(ultron, PHRASE) == set() and tables_holding(ultron, OTHER) >= {"memories"}
    with log.open("a", encoding="utf-8") as file:
        for line in solved("three", "zygomite"):
            file.write(json.dumps(line) + "\n")
    ultron.ingest([log], "agent", process=True)
    assert tables_holding(ultron, PHRASE) == set() and packed(ultron, PHRASE) == 0
    assert tables_holding(ultron, "zygomite") >= {"messages", "memories"}
    assert rows(ultron, "SELECT lines FROM sessions")[0]["lines"]["skipped"]["erased"] == 1


def test_a_copy_elsewhere_is_read_without_it(ultron, log, tmp_path):
    body = log.read_bytes()
    ultron.ingest([log], "agent", process=True)
    ultron.erase(message=pointer(ultron, log))
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(body)
    ultron.ingest([copy], "agent", process=True)
    assert tables_holding(ultron, PHRASE) == set() and packed(ultron, PHRASE) == 0


def test_reading_it_again_on_purpose_brings_it_back(ultron, tmp_path):
    log = write_log(tmp_path / "a.jsonl", solved("one", PHRASE))
    ultron.ingest([log], "agent", process=True)
    ultron.erase(message=pointer(ultron, log))
    ultron.ingest([log], "agent", again=True, process=True)
    assert tables_holding(ultron, PHRASE) >= {"messages", "memories"}


def test_a_second_time_there_is_nothing_to_do(ultron, log):
    ultron.ingest([log], "agent", process=True)
    named = pointer(ultron, log)
    told = ultron.erase(message=named, dry_run=True)
    assert told.counts == ultron.erase(message=named).counts
    ultron.process_pending()
    before = rows_written(ultron.runtime.database)
    assert ultron.erase(message=named).counts == {}
    assert rows_written(ultron.runtime.database) == before


def test_the_pointer_of_a_block_will_do(ultron, log):
    ultron.ingest([log], "agent", process=True)
    session = rows(ultron, "SELECT id FROM sessions")[0]["id"]
    line = line_of(log, PHRASE)
    ultron.erase(message=f"d:{str(session)[:8]}/{line}-{line}")
    assert tables_holding(ultron, PHRASE) == set()


@pytest.mark.parametrize(
    "named", ["", "agent/a.jsonl", "agent/a.jsonl:x", "d:zz/1", ":1", "agent/a.jsonl:99999"]
)
def test_what_is_no_message_is_refused(ultron, log, named):
    ultron.ingest([log], "agent")
    with pytest.raises((InputError, NotFoundError)):
        ultron.erase(message=named)
