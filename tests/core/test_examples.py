"""The example sessions: every line accounted for, and what the demo promises comes out of them."""

from pathlib import Path

import pytest

from ultron_core.client import Ultron
from ultron_core.sessions import discover_sessions, parse_session
from ultron_core.steps import audit

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


@pytest.mark.slow
def test_the_demo_keeps_its_promise(settings):
    with Ultron(settings) as ultron:
        for folder in sorted(EXAMPLES.iterdir()):
            ultron.ingest([folder], folder.name)
        ultron.process_pending()
        # fewer than before 2026-11-22, when lessons that say nothing of their own were stored too
        assert ultron.get_memory_stats()["total"] >= 14
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
        hits = ultron.search_memories("git push rejected, no upstream branch", record_hits=False)
        assert "upstream" in hits[0].record.summary_l0
        chinese = ultron.search_memories("支付金额不符，预订失败", record_hits=False)
        assert "payment" in chinese[0].record.summary_l0
