"""The example sessions: every line accounted for, and what the demo promises comes out of them."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.memories import rows
from ultron_core.cli.commands.memory import lines_command
from ultron_core.client import Ultron
from ultron_core.lessons.evidence import appears_in
from ultron_core.models import Message
from ultron_core.sessions import discover_sessions, parse_session
from ultron_core.steps import overview
from ultron_core.steps.audit import rows as audit

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "sessions"
FILES = discover_sessions([EXAMPLES])


def test_there_are_30_to_60_of_at_most_10_mb_and_each_folder_is_in_the_licence_table():
    assert 30 <= len(FILES) <= 60
    assert sum(path.stat().st_size for path in FILES) <= 10_000_000
    readme = (EXAMPLES.parent / "README.md").read_text("utf-8")
    for folder in EXAMPLES.iterdir():
        assert f"`{folder.name}/" in readme


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(EXAMPLES)))
def test_every_physical_line_has_one_fate(path):
    session = parse_session(path)
    lines = path.read_bytes().splitlines()
    assert session.ledger.balanced
    assert session.ledger.total == len(lines)
    assert session.messages


def unopened(ultron):
    """Sources of memories whose lines, as the printed command shows them, do not hold the quote."""
    missing, seen = [], 0
    for row in rows(ultron, "SELECT DISTINCT memory_id FROM memory_sources WHERE kind = 'segment'"):
        places = overview.places(ultron.runtime, row["memory_id"])
        for source in ultron.get_memory_sources(row["memory_id"]):
            command = lines_command(places[source.id], source)
            shown = subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
            seen += 1
            if not appears_in(source.quote, Message("user", "\n".join(texts(shown)))):
                missing.append((command, source.quote))
    assert seen >= 15
    return missing


def texts(shown):
    """What stands on lines of a log: the strings of its JSON, also of JSON in a string."""
    decoder, at = json.JSONDecoder(), 0
    yield shown
    while at < len(shown):
        try:
            value, at = decoder.raw_decode(shown, at)
        except ValueError:
            at += 1
        else:
            yield from strings(value)


def strings(value):
    if isinstance(value, str):
        yield value
        if value[:1] in "{[":
            yield from texts(value[:100_000]) if value[1:] else ()
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


@pytest.mark.slow
def test_the_demo_keeps_its_promise(settings):
    with Ultron(settings) as ultron:
        for folder in sorted(EXAMPLES.iterdir()):
            ultron.ingest([folder], folder.name)
        ultron.process_pending()
        shelves = ultron.get_memory_stats()["by_status"]
        assert shelves["active"] >= 2 and shelves["claimed"] >= 15
        assert len(ultron.trajectory_service.export_sft()) >= 6
        for check in (
            audit.lines_accounted,
            audit.left_failed,
            audit.segments_tile,
            audit.scores_in_range,
            audit.no_secret_stored,
            audit.memories_have_sources,
            audit.clusters_consistent,
        ):
            finding = check(ultron.runtime)
            assert finding.checked > 0 and finding.count == 0, finding
        assert unopened(ultron) == []
        hits = ultron.search_memories("should the watch command collect statistics", record_hits=False)
        assert "NOT collect stats at all for run/watch" in hits[0].record.summary_l0
        chinese = ultron.search_memories("SQLite 迁移时不支持修改列", claimed=True, record_hits=False)
        claims = [hit.record for hit in chinese if hit.record.status == "claimed"]
        assert "SQLite" in claims[0].summary_l0
        # what customers tell an airline of themselves
        assert rows(ultron, "SELECT 1 FROM memories WHERE content ~* 'user id|reservation'") == []
