"""The logs that agents keep under a person's home are found, newest first."""

import os
import re
from pathlib import Path

import pytest

from ultron_core.sessions.homes import HOMES, find_logs

ROOT = Path(__file__).resolve().parents[3]


def log(path, *, changed_at=1_000_000, size=10):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (changed_at, changed_at))
    return path


def test_each_agent_has_its_own_and_the_newest_comes_first(tmp_path):
    old = log(tmp_path / ".claude/projects/-srv-app/old.jsonl", changed_at=1_000)
    new = log(tmp_path / ".claude/projects/-srv-app/new.jsonl", changed_at=2_000, size=30)
    document = log(tmp_path / ".gemini/tmp/abc/chats/session-1.json")
    log(tmp_path / ".gemini/tmp/abc/settings.json")
    claude, gemini = find_logs({}, tmp_path)
    assert (claude.agent, [f.path for f in claude.files], claude.size) == ("claude-code", [new, old], 40)
    assert (gemini.agent, [f.path for f in gemini.files]) == ("gemini", [document])


def test_only_what_was_asked_for(tmp_path):
    log(tmp_path / ".claude/projects/p/a.jsonl", changed_at=1_000)
    log(tmp_path / ".codex/sessions/2026/01/02/rollout-1.jsonl", changed_at=3_000)
    assert [one.agent for one in find_logs({}, tmp_path, agents=["codex"])] == ["codex"]
    assert [one.agent for one in find_logs({}, tmp_path, since=2_000)] == ["codex"]


def test_an_agent_that_was_moved_is_found_where_its_variable_says(tmp_path):
    log(tmp_path / "elsewhere/sessions/rollout-1.jsonl")
    (found,) = find_logs({"CODEX_HOME": str(tmp_path / "elsewhere")}, tmp_path)
    assert (found.agent, found.folder) == ("codex", tmp_path / "elsewhere/sessions")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_named(tmp_path):
    folder = log(tmp_path / ".qwen/projects/p/a.jsonl").parent
    folder.chmod(0)
    try:
        (found,) = find_logs({}, tmp_path)
    finally:
        folder.chmod(0o700)
    assert found.files == () and f"{folder} cannot be read" in found.problem


def test_the_page_of_questions_names_the_same_places():
    rows = re.findall(
        r"^\| [^|]+ \| `ultron ingest ([^`]+)`", (ROOT / "docs" / "faq.md").read_text(), re.MULTILINE
    )
    told = " ".join(rows)
    for one in HOMES:
        assert f"--{one.agent}" in told or f"~/{one.base}/{one.logs}" in told, one.agent
