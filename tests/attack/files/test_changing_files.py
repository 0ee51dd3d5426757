"""Files that change while they are read: what the next look finds is stored once, and the ledger says what was read."""

import gzip
import json
import os
from datetime import timedelta

import pytest

from tests.support.memories import one, rows
from tests.support.worlds import task
from ultron_core.client import Ultron
from ultron_core.steps.files import snapshot as snapshot_module
from ultron_core.steps.files.drop_folder import scan
from ultron_core.steps.files.ingest import ingest_files

BEFORE, AFTER = task("alpha"), task("gamma")  # of the same length
MORE = task("betas")


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


@pytest.fixture(params=["log.jsonl", "log.jsonl.gz"])
def path(request, ultron):
    folder = ultron.runtime.settings.sessions_dir / "agent"
    folder.mkdir(parents=True)
    return folder / request.param


def packed(path, lines):
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    # not packed tighter: a member of the same length then has the same size
    return gzip.compress(body, compresslevel=0, mtime=0) if path.suffix == ".gz" else body


def write(path, lines):
    path.write_bytes(packed(path, lines))


def append(path):
    with path.open("ab") as file:
        file.write(packed(path, MORE))


def replace_file(path):
    other = path.with_name("other")
    write(other, AFTER)
    other.replace(path)


def rewrite(path):
    """In place: who reads on finds the other half of another log."""
    with path.open("r+b") as file:
        file.write(packed(path, AFTER))


def cut(path):
    os.truncate(path, 0)
    write(path, BEFORE[:3])


def held(monkeypatch, path, change):
    """The next reader of the file stands still in the middle of it until it has changed."""
    changes = [change]

    class Handle:
        def __init__(self, file):
            self._file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self._file.close()

        def fileno(self):
            return self._file.fileno()

        def seek(self, *to):
            return self._file.seek(*to)

        def read(self, size=-1):
            first = os.read(self._file.fileno(), path.stat().st_size // 2) if changes else b""
            if changes:
                changes.pop()(path)
            rest = b"".join(iter(lambda: os.read(self._file.fileno(), 1 << 20), b""))
            return (first + rest)[: size if size >= 0 else None]

    def hold(name, *given, **named):
        return Handle(open(name, "rb", buffering=0, **{k: v for k, v in named.items() if k == "opener"}))

    monkeypatch.setattr(snapshot_module, "open", hold, raising=False)


def look(ultron):
    """One cycle of the drop sensor, a minute later."""
    seen = scan(ultron.runtime, ultron.runtime.clock() + timedelta(minutes=1))
    return ingest_files(ultron.runtime, [found.file for found in (*seen.changed, *seen.retry)])


def stored(ultron):
    messages = rows(
        ultron,
        "SELECT m.content FROM messages m JOIN sessions s ON s.id = m.session_id"
        " WHERE s.generation = (SELECT max(generation) FROM sessions) ORDER BY m.seq",
    )
    return [row["content"] for row in messages]


def contents(lines):
    return [line["content"] for line in lines]


@pytest.mark.parametrize(
    ("change", "then"),
    [(append, BEFORE + MORE), (replace_file, AFTER), (rewrite, AFTER), (cut, BEFORE[:3])],
)
@pytest.mark.parametrize("known", [False, True])
def test_what_the_next_look_finds_is_what_the_file_holds(ultron, path, monkeypatch, change, then, known):
    write(path, BEFORE[:-1] if known else BEFORE)
    if known:
        look(ultron)
        write(path, BEFORE)
    old = path.stat()
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns - 60 * 10**9))
    held(monkeypatch, path, change)
    (first,) = look(ultron)
    between = stored(ultron)
    assert first.success and between in (contents(BEFORE), contents(then)), (
        "never half of one and half of another"
    )
    look(ultron)
    assert stored(ultron) == contents(then)
    assert look(ultron) == [], "all is read"
    ledger, now = one(ultron, "SELECT * FROM source_files"), path.stat()
    assert (ledger["state"], ledger["size"], ledger["mtime_ns"]) == ("ingested", now.st_size, now.st_mtime_ns)
    kept = rows(ultron, "SELECT generation, status, message_count, content_sha256 FROM sessions ORDER BY 1")
    assert {row["status"] for row in kept} == {"ok"} and kept[-1]["content_sha256"] == ledger["sha256"]
    # what was read of the log before keeps a generation of its own: the other one has too little of its words
    assert len(kept) == (2 if change is replace_file or (known and change is rewrite) else 1)


def test_one_that_is_deleted_while_it_is_read_was_read_and_is_missing_then(ultron, path, monkeypatch):
    write(path, BEFORE)
    held(monkeypatch, path, lambda gone: gone.unlink())
    (first,) = look(ultron)
    assert first.success and stored(ultron) == contents(BEFORE)
    assert look(ultron) == []
    assert one(ultron, "SELECT state FROM source_files")["state"] == "missing"
    assert one(ultron, "SELECT status FROM sessions")["status"] == "source_missing"


def test_one_that_is_deleted_before_it_is_opened_is_missing_and_what_was_read_goes_on(ultron, path):
    """Not failed: a failed log is cut no more, and stands among what a person has to look at."""
    write(path, BEFORE)
    look(ultron)
    append(path)
    seen = scan(ultron.runtime, ultron.runtime.clock() + timedelta(minutes=1))
    path.unlink()
    (result,) = ingest_files(ultron.runtime, [found.file for found in seen.changed])
    assert not result.success and "cannot be read" in result.error
    look(ultron)
    assert one(ultron, "SELECT state FROM source_files")["state"] == "missing"
    assert one(ultron, "SELECT status, error FROM sessions") == {"status": "source_missing", "error": None}
    assert ultron.process_pending()["sessions"] == 1 and stored(ultron) == contents(BEFORE)
    write(path, BEFORE + MORE)
    look(ultron)
    assert one(ultron, "SELECT status FROM sessions")["status"] == "ok" and stored(ultron) == contents(
        BEFORE + MORE
    )
