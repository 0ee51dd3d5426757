"""`ultron export`, `import`, `backup` and `restore` as they are typed."""

import json
import os

import pytest

from tests.support.worlds import solved, write_log
from ultron_core.store.server.place import binaries


@pytest.fixture
def filled(run, tmp_path):
    """A store with a memory of a log and an uploaded one."""
    run("ingest", write_log(tmp_path / "log.jsonl", solved("alpha", "pandas")), "--agent", "me")
    assert run("ingest-text", "I always prefer tabs over spaces in all of my code.")[0] == 0
    return run


def test_out_of_one_store_and_into_another(filled, tmp_path, new_database):
    out = tmp_path / "out"
    code, printed, _ = filled("export", out)
    assert code == 0 and "Memories: 2;" in printed and str(out) in printed
    (words,) = [
        line["content"]
        for line in map(json.loads, (out / "memories-00001.jsonl").read_text().splitlines())
        if "tabs" in line["content"]
    ]
    other = {"ULTRON_DATABASE_URL": new_database()}
    code, printed, _ = filled("import", out, **other)
    assert code == 0 and "Memories: 2 new, 0 already here" in printed
    assert "Sources whose log is not here: 1." in printed
    code, printed, _ = filled("import", out, "--json", **other)
    told = json.loads(printed)
    assert code == 0 and (told["new"], told["known"], told["conflicts"]) == (0, 2, [])
    code, printed, _ = filled("search", "tabs or spaces", "--json", **other)
    (hit, *_) = json.loads(printed)
    code, printed, _ = filled("show", hit["record"]["id"], **other)
    assert code == 0 and words in printed


def test_a_memory_of_a_log_elsewhere_is_shown_with_its_file_and_quote(filled, tmp_path, new_database):
    assert filled("export", tmp_path / "out")[0] == 0
    other = {"ULTRON_DATABASE_URL": new_database()}
    assert filled("import", tmp_path / "out", **other)[0] == 0
    lines = map(json.loads, (tmp_path / "out" / "memories-00001.jsonl").read_text().splitlines())
    (source,) = [line["sources"][0] | {"of": line["id"]} for line in lines if line["sources"][0]["log"]]
    code, printed, _ = filled("show", source["of"], **other)
    assert code == 0 and f"me/{source['log']['session_file']} lines {source['start_line']}" in printed
    assert " ".join(source["quote"].split())[:40] in " ".join(printed.split())


def test_what_is_left_alone_is_listed_and_the_code_says_so(filled, tmp_path, new_database):
    assert filled("export", tmp_path / "out")[0] == 0
    other = {"ULTRON_DATABASE_URL": new_database()}
    assert filled("ingest-text", "I always prefer tabs over spaces in all of my code.", **other)[0] == 0
    code, printed, _ = filled("import", tmp_path / "out", **other)
    assert code == 3 and "1 left alone" in printed and "has these" in printed


def test_errors_are_one_line_with_the_file(filled, tmp_path):
    code, printed, errors = filled("import", tmp_path)
    assert (code, printed) == (1, "") and "is no export: it has no manifest.json" in errors
    code, _, errors = filled("export", tmp_path)
    assert code == 1 and "is not empty" in errors
    code, _, errors = filled("restore", tmp_path / "none")
    assert code == 1 and "There is no file" in errors


def test_the_whole_store_as_one_file(filled, tmp_path, new_database, monkeypatch):
    monkeypatch.setenv("PATH", f"{binaries()}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ULTRON_DAGSTER_DATABASE_URL", new_database())
    file = tmp_path / "one.backup"
    code, printed, _ = filled("backup", file, "--logs")
    assert code == 0 and f"{file}: " in printed and "MB with the store, Dagster's history." in printed
    digest = printed.splitlines()[-1]
    assert digest.startswith("account default: content ")
    other = {
        "ULTRON_DATABASE_URL": new_database(),
        "ULTRON_HOME": str(tmp_path / "other"),
    }
    monkeypatch.setenv("ULTRON_DAGSTER_DATABASE_URL", new_database())
    code, printed, _ = filled("restore", file, **other)
    assert code == 0 and digest in printed and str(tmp_path / "other") in printed
    code, _, errors = filled("restore", file, **other)
    assert code == 1 and "The store is not empty" in errors
    code, printed, _ = filled("stats", "--json", **other)
    assert json.loads(printed)["memories"]["total"] == 2
