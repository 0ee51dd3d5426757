"""What is no whole export of this or an older version is refused before anything is written, and so is a folder that
is not empty."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.steps.transfer.worlds import fill, memories_of, open_as, rewrite
from tests.support.memories import one, rows
from tests.support.recount import counters_off
from ultron_core.errors import ConflictError, ExportError, InputError
from ultron_core.folders import only_one
from ultron_core.steps.transfer import export, importing
from ultron_core.steps.upload import bulk


@pytest.fixture
def source(settings, tmp_path):
    with open_as(settings) as ultron:
        fill(ultron, tmp_path)
        yield ultron


@pytest.fixture
def folder(source, tmp_path):
    source.export_memories(tmp_path / "out", vectors=True)
    return tmp_path / "out"


@pytest.fixture
def target(settings, new_database):
    with open_as(settings, url=new_database()) as ultron:
        yield ultron


def refused(target, folder):
    """The message; nothing was written."""
    with pytest.raises(InputError) as error:
        target.import_memories(folder)
    assert rows(target, "SELECT 1 FROM memories") == []
    return str(error.value)


def edit_manifest(folder, **fields):
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_a_folder_without_a_manifest(target, tmp_path):
    (tmp_path / "none").mkdir()
    assert "has no manifest.json" in refused(target, tmp_path / "none")
    assert "has no manifest.json" in refused(target, tmp_path / "not there")


def test_another_program_s_manifest(target, folder):
    edit_manifest(folder, kind="something else")
    assert "not the manifest of an export" in refused(target, folder)
    (folder / "manifest.json").write_text("{")
    assert "damaged" in refused(target, folder)


@pytest.mark.parametrize("newer", [{"format": 2}, {"schema": "9999_later"}], ids=str)
def test_a_newer_export(target, folder, newer):
    edit_manifest(folder, **newer)
    assert "update Ultron first" in refused(target, folder)


def test_a_manifest_that_lacks_a_field(target, folder):
    told = json.loads((folder / "manifest.json").read_text())
    del told["schema"]
    (folder / "manifest.json").write_text(json.dumps(told))
    assert "damaged" in refused(target, folder)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes().replace(b"linter", b"hinter", 1)),
        lambda path: path.write_bytes(path.read_bytes()[:-200]),
        lambda path: path.write_bytes(path.read_bytes() + b"{}\n"),
        lambda path: path.unlink(),
    ],
    ids=["a word changed", "cut off", "a line more", "gone"],
)
def test_a_damaged_part_is_named(target, folder, damage):
    damage(folder / "memories-00001.jsonl")
    assert "memories-00001.jsonl" in refused(target, folder)


def test_a_part_outside_the_folder_is_not_read(target, folder):
    told = json.loads((folder / "manifest.json").read_text())
    told["parts"][0]["file"] = "../log.jsonl"
    edit_manifest(folder, parts=told["parts"])
    assert "out of its folder" in refused(target, folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: line | {"colour": "red"}, "does not have: colour"),
        (lambda line: {k: v for k, v in line.items() if k != "agent_id"}, "lacks agent_id"),
        (lambda line: line | {"content": "Other words."}, "body_sha256"),
        (lambda line: line | {"id": "x"}, "an id in memories that is none"),
        (lambda line: line | {"content": 7}, "no text"),
        (lambda line: line | {"sources": "x"}, "are no rows"),
        (lambda line: line | {"vector": line["vector"] | {"float32": "AAAA"}}, "a vector"),
        (lambda line: line | {"id": "00000000-0000-0000-0000-000000000001"}, "has 1 memories on 6 lines"),
        (lambda line: [line], "not a memory"),
    ],
)
def test_a_line_that_is_no_memory_is_named(target, folder, change, said):
    """With a manifest that fits it: whoever wrote it knew how."""
    rewrite(folder, change)
    message = refused(target, folder)
    assert said in message and str(folder) in message


def test_a_value_that_no_column_takes_undoes_its_chunk(target, folder):
    rewrite(folder, lambda line: line | {"proof": "by decree"})
    assert "cannot be stored" in refused(target, folder)


def test_an_export_goes_into_no_folder_with_something_in_it(source, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        source.export_memories(tmp_path / "full")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    with pytest.raises(InputError, match="is a file"):
        source.export_memories(tmp_path / "full" / "mine.txt")


def test_a_second_export_into_the_same_folder_is_told_of_the_first(source, tmp_path):
    (tmp_path / "out").mkdir()
    with only_one(tmp_path / "out" / ".exporting"), pytest.raises(InputError, match="Another export"):
        source.export_memories(tmp_path / "out")


def test_an_export_that_was_killed_is_made_again_in_the_same_folder(source, target, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / ".exporting").touch()
    (folder / "memories-00001.jsonl").write_text("half a li")
    (folder / "memories-00009.jsonl").write_text("of another time")
    source.export_memories(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "memories-00001.jsonl"]
    target.import_memories(folder)
    assert memories_of(target) == memories_of(source)


def test_a_full_disk_leaves_no_export(source, tmp_path, monkeypatch):
    def full(_handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(export.os, "fsync", full)
    with pytest.raises(ExportError, match="No space left"):
        source.export_memories(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(ExportError, match="No space left"):
        source.export_memories(tmp_path / "empty")
    assert list((tmp_path / "empty").iterdir()) == []


def test_an_export_is_for_its_owner_alone(folder):
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_an_export_is_one_picture_while_others_write(source, target, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "_A_PAGE", 2)
    monkeypatch.setattr(export, "_A_PART", 2)
    before = memories_of(source)

    def meanwhile(_done, _total):
        source.upload_memory(f"A fact that came while it was written, number {_done}.")

    done = source.export_memories(tmp_path / "out", progress=meanwhile)
    assert done.parts == 3
    target.import_memories(tmp_path / "out")
    assert memories_of(target) == before != memories_of(source)


def test_a_second_import_at_once_is_told_of_the_first(target, folder):
    with importing._alone(target.runtime), pytest.raises(ConflictError, match="Another import"):
        target.import_memories(folder)
    assert target.import_memories(folder).new == 6


KILLED = """
import os, signal, sys
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, Settings, StoreSettings
from tests.core.steps.transfer.worlds import NEAR, open_as
from tests.support.memories import StubEmbedder
from ultron_core.steps.rows import copied, memories
from ultron_core.steps.transfer import importing
from ultron_core.steps.upload import bulk

home, url, folder, moment, count = sys.argv[1:]
bulk._CHUNK = 2
room, _, name = moment.partition(":")
module = {"copied": copied, "memories": memories, "importing": importing}[room]
real, left = getattr(module, name), [int(count)]

def killed(*given, **named):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*given, **named)

setattr(module, name, killed)
settings = Settings(store=StoreSettings(home=home, database_url=url), llm=LLMSettings(offline=True))
with Ultron(settings, embedder=StubEmbedder(NEAR)) as ultron:
    ultron.import_memories(folder)
"""


@pytest.mark.parametrize(
    ("moment", "count"),
    [
        ("importing:_look", 1),
        ("importing:begin_load", 1),
        ("copied:copy", 1),
        ("copied:copy", 2),
        ("memories:write_vectors", 2),
        ("memories:index", 3),
        ("importing:_bring", 3),
        ("copied:copy_links", 1),
        ("importing:end_load", 1),
        ("importing:_cluster", 1),
    ],
)
def test_after_a_kill_the_same_import_completes(source, folder, target, tmp_path, moment, count):
    target.close()
    url = target.settings.store.database_url
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "home"), url, str(folder), moment, str(count)],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path.cwd())}, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr[-2000:]
    with open_as(target.settings, url=url) as again:
        again.import_memories(folder)
        assert memories_of(again) == memories_of(source) and counters_off(again) == []
        assert one(again, "SELECT count(*) AS n FROM memory_links")["n"] == 1


def test_chunks_are_as_large_as_those_of_a_load(monkeypatch):
    monkeypatch.setattr(bulk, "_CHUNK", 2)
    assert list(bulk.chunks(range(5))) == [[0, 1], [2, 3], [4]]
