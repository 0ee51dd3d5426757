"""The number of a deleted file is given to the next one: what was read of a log stays, whatever else looks like it."""

import json
import os

import pytest

from ultron_core.client import Ultron
from ultron_core.settings import SessionSettings
from ultron_core.steps.files.drop_folder import scan
from ultron_core.steps.files.ingest import ingest_files

STAMP = "2026-01-02T03:04:05.000Z"


def talk(*words):
    """A question and its answer for each word, long enough to weigh as text."""
    return [
        turn
        for word in words
        for turn in (("user", f"What is {word}? " * 8), ("assistant", f"{word} is this. " * 8))
    ]


SHARED = talk(*(f"shared{n}" for n in range(5)))
OWN = talk(*(f"own{n}" for n in range(20)))
OTHER = talk("other0", "other1")


def openai(turns, session=None):
    rows = [{"role": role, "content": content} for role, content in turns]
    return [{"_type": "metadata", "session_id": session}, *rows] if session else rows


def claude(turns, session="11111111-1111-4111-8111-111111111111"):
    about = {"sessionId": session, "timestamp": STAMP, "cwd": "/r", "version": "2"}
    ids = [f"00000000-0000-4000-8000-{n:012}" for n in range(len(turns))]
    return [
        {
            **about,
            "type": role,
            "uuid": own,
            "parentUuid": before,
            "message": {"role": role, "content": content},
        }
        for (role, content), own, before in zip(turns, ids, [None, *ids], strict=False)
    ]


def codex(turns, session="22222222-2222-4222-8222-222222222222"):
    kinds = {"user": "input_text", "assistant": "output_text"}
    head = {"timestamp": STAMP, "type": "session_meta", "payload": {"id": session, "cwd": "/r"}}
    items = [
        {"type": "message", "role": role, "content": [{"type": kinds[role], "text": content}]}
        for role, content in turns
    ]
    return [head, *({"timestamp": STAMP, "type": "response_item", "payload": item} for item in items)]


NEXT = "33333333-3333-4333-8333-333333333333"


def body(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


class Folder:
    """A drop folder as the sensor sees it."""

    def __init__(self, ultron):
        self._ultron = ultron
        self._root = ultron.runtime.settings.sessions_dir / "agent"
        self._root.mkdir(parents=True)

    def put(self, name, rows, *, number_of=None):
        """Write a log; with `number_of` it has the inode that this deleted log had."""
        path = self._root / name
        path.write_text(body(rows), "utf-8")
        os.utime(path, (1_700_000_000, 1_700_000_000 + path.stat().st_size))
        if number_of:
            stat = path.stat()
            with self._ultron.runtime.database.transaction() as conn:
                conn.execute(
                    "UPDATE source_files SET inode = %s, device = %s WHERE session_file = %s",
                    (stat.st_ino, stat.st_dev, number_of),
                )

    def append(self, name, rows):
        with (self._root / name).open("a", encoding="utf-8") as log:
            log.write(body(rows))
        os.utime(self._root / name, (1_700_000_100, 1_700_000_100))

    def delete(self, name):
        (self._root / name).unlink()

    def move(self, name, other):
        (self._root / name).rename(self._root / other)

    def look(self):
        found = scan(self._ultron.runtime)
        return self._read([seen.file for seen in found.changed])

    def _read(self, files):
        return {result.session_file: result.status for result in ingest_files(self._ultron.runtime, files)}


class Bucket(Folder):
    """The same in a bucket, whose etags stand in the column of inodes."""

    ROOT = "memory://logs/agent"

    def __init__(self, ultron):
        self._ultron = ultron
        import fsspec

        self._system = fsspec.filesystem("memory")

    def put(self, name, rows, *, number_of=None):
        self._system.pipe_file(f"{self.ROOT}/{name}", body(rows).encode())
        if number_of:
            (seen,) = (one for one in scan(self._ultron.runtime).changed if one.file.session_file == name)
            with self._ultron.runtime.database.transaction() as conn:
                conn.execute(
                    "UPDATE source_files SET inode = %s, device = 0 WHERE session_file = %s",
                    (seen.file.path.number, number_of),
                )

    def append(self, name, rows):
        before = self._system.cat_file(f"{self.ROOT}/{name}")
        self._system.pipe_file(f"{self.ROOT}/{name}", before + body(rows).encode())

    def delete(self, name):
        self._system.rm_file(f"{self.ROOT}/{name}")

    def move(self, name, other):
        self._system.mv(f"{self.ROOT}/{name}", f"{self.ROOT}/{other}")


@pytest.fixture(params=[Folder, Bucket])
def drop(request, settings, tmp_path):
    place = (
        {"sessions_url": "memory://logs"} if request.param is Bucket else {"sessions_dir": tmp_path / "logs"}
    )
    sessions = SessionSettings(quiet_minutes=0, **place)
    with Ultron(settings.model_copy(update={"sessions": sessions})) as ultron:
        made = request.param(ultron)
        yield made
        if request.param is Bucket:
            made._system.rm("memory://logs", recursive=True)


def stored(drop):
    """{(file, generation): (status, its messages)} of all that is kept."""
    with drop._ultron.runtime.database.transaction() as conn:
        found = conn.execute(
            "SELECT session_file, generation, status, ARRAY(SELECT content FROM messages m"
            " WHERE m.session_id = s.id ORDER BY seq) AS said FROM sessions s"
        ).fetchall()
    return {(row["session_file"], row["generation"]): (row["status"], row["said"]) for row in found}


def said(*turns):
    return [content for part in turns for _, content in part]


@pytest.mark.parametrize("form", [openai, claude, codex])
def test_a_log_that_shares_its_first_turns_with_a_deleted_one_is_another_session(drop, form):
    """E.g. Claude Code deletes old logs: the next one has the number, and the same first turns."""
    drop.put("a.jsonl", form(SHARED + OWN))
    assert drop.look() == {"a.jsonl": "new"}
    drop.delete("a.jsonl")
    drop.put("b.jsonl", form(SHARED + OTHER), number_of="a.jsonl")
    assert drop.look() == {"b.jsonl": "new"}
    assert stored(drop) == {
        ("a.jsonl", 0): ("source_missing", said(SHARED, OWN)),
        ("b.jsonl", 0): ("ok", said(SHARED, OTHER)),
    }


@pytest.mark.parametrize("form", [claude, codex])
def test_a_fork_that_holds_all_of_a_deleted_log_has_an_id_of_its_own(drop, form):
    drop.put("a.jsonl", form(SHARED))
    drop.look()
    drop.delete("a.jsonl")
    drop.put("fork.jsonl", form(SHARED + OTHER, NEXT), number_of="a.jsonl")
    assert drop.look() == {"fork.jsonl": "new"}
    assert stored(drop) == {
        ("a.jsonl", 0): ("source_missing", said(SHARED)),
        ("fork.jsonl", 0): ("ok", said(SHARED, OTHER)),
    }


@pytest.mark.parametrize("form", [claude, codex])
def test_a_log_of_the_same_id_that_begins_otherwise_keeps_both(drop, form):
    """E.g. a harness that writes a compacted log beside the whole one, and deletes that."""
    drop.put("a.jsonl", form(SHARED + OWN))
    drop.look()
    drop.delete("a.jsonl")
    drop.put("compacted.jsonl", form(OTHER + OWN[-6:]), number_of="a.jsonl")
    assert drop.look() == {"compacted.jsonl": "new"}
    kept = stored(drop)
    assert kept["a.jsonl", 0] == ("source_missing", said(SHARED, OWN))
    assert kept["compacted.jsonl", 0] == ("ok", said(OTHER, OWN[-6:]))


@pytest.mark.parametrize("form", [claude, codex])
def test_a_log_that_is_renamed_and_grows_at_once_keeps_its_session(drop, form):
    """By its own id: a bucket has no inodes, and a move to another disk changes them."""
    drop.put("a.jsonl", form(SHARED))
    drop.look()
    drop.move("a.jsonl", "b.jsonl")
    drop.append("b.jsonl", form(SHARED + OTHER)[-len(OTHER) :])
    assert drop.look() == {"b.jsonl": "renamed"}
    assert stored(drop) == {("b.jsonl", 0): ("ok", said(SHARED, OTHER))}


def test_a_log_without_an_id_that_is_renamed_and_grows_keeps_its_session_by_its_number(drop):
    drop.put("a.jsonl", openai(SHARED))
    drop.look()
    drop.delete("a.jsonl")
    drop.put("b.jsonl", openai(SHARED + OTHER), number_of="a.jsonl")
    assert drop.look() == {"b.jsonl": "renamed"}
    assert stored(drop) == {("b.jsonl", 0): ("ok", said(SHARED, OTHER))}


@pytest.mark.parametrize("form", [openai, claude, codex])
def test_a_compaction_that_is_appended_goes_on(drop, form):
    drop.put("a.jsonl", form(SHARED + OWN))
    drop.look()
    drop.put("a.jsonl", form(SHARED + OWN + talk("summary")))
    assert drop.look() == {"a.jsonl": "appended"}
    assert stored(drop) == {("a.jsonl", 0): ("ok", said(SHARED, OWN, talk("summary")))}


@pytest.mark.parametrize("form", [openai, claude, codex])
def test_a_log_that_is_cut_and_written_anew_under_its_name_is_a_rotation(drop, form):
    """The first turns are what every log of the project begins with; one fifth of the text was enough to be an edit."""
    drop.put("a.jsonl", form(SHARED + OWN))
    drop.look()
    drop.put("a.jsonl", openai(SHARED + OTHER) if form is openai else form(SHARED + OTHER, NEXT))
    assert drop.look() == {"a.jsonl": "rotated"}
    assert stored(drop) == {
        ("a.jsonl", 0): ("ok", said(SHARED, OWN)),
        ("a.jsonl", 1): ("ok", said(SHARED, OTHER)),
    }


def test_a_log_that_was_cut_to_the_prompt_of_its_harness_is_a_rotation(drop):
    """Caught between the two writes of a rotation: the system prompt alone is no version of the log."""
    prompt = [("system", "You are an agent. " * 20)]
    drop.put("a.jsonl", openai(prompt + OWN))
    drop.look()
    drop.put("a.jsonl", openai(prompt))
    assert drop.look() == {"a.jsonl": "rotated"}
    assert stored(drop)["a.jsonl", 0] == ("ok", said(prompt, OWN))


@pytest.mark.parametrize("form", [openai, claude])
def test_an_edit_of_the_same_log_stays_one_session(drop, form):
    drop.put("a.jsonl", form(SHARED + OWN))
    drop.look()
    drop.put("a.jsonl", form(SHARED + OTHER + OWN[2:]))
    assert drop.look() == {"a.jsonl": "changed"}
    assert stored(drop) == {("a.jsonl", 0): ("ok", said(SHARED, OTHER, OWN[2:]))}
