"""Search over the verbatim log: which session, which lines, and nothing written twice."""

from datetime import UTC, datetime

import pytest

from tests.support.memories import StubEmbedder, axis, one, rows
from tests.support.worlds import rows_written, task, write_log
from ultron_core.client import Ultron
from ultron_core.search import query_terms, term_id
from ultron_core.steps.windows import fill_windows, index_windows


@pytest.fixture
def embedder():
    return StubEmbedder({"": axis(0)})


@pytest.fixture
def ultron(settings, embedder):
    with Ultron(settings, embedder=embedder) as opened:
        yield opened


def turn(role, content, second=0):
    return {"role": role, "content": content, "timestamp": f"2026-01-02T03:04:{second:02d}Z"}


def talk(*contents):
    return [turn("assistant" if n % 2 else "user", text, n) for n, text in enumerate(contents)]


PIPES = talk(
    "How do I fix the dripping pipe?",
    "Tighten the brass nut.",
    "And the boiler?",
    "Bleed the radiator first.",
    "What does ERR_VALVE_42 mean?",
    "The valve is stuck half open.",
)
CAKES = talk("How much sugar for a cake?", "Two hundred grams of cane sugar.", "thanks", "Enjoy it.")


def ingest(ultron, tmp_path, **logs):
    """One session a name; returns their ids."""
    for name, lines in logs.items():
        result = ultron.ingest([write_log(tmp_path / f"{name}.jsonl", lines)], name)
        assert result["successful"] == 1
    found = {row["agent_id"]: row["id"] for row in rows(ultron, "SELECT id, agent_id FROM sessions")}
    for session_id in found.values():
        index_windows(ultron.context, session_id)
    return found


def test_a_search_finds_the_lines_word_for_word(ultron, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    hit = ultron.search_sessions("ERR_VALVE_42")[0]
    assert hit.session_id == ids["plumber"] and hit.session_file.endswith("plumber.jsonl")
    assert hit.start_line <= 5 <= hit.end_line <= 6
    lines = [f"{line['role']}: {line['content']}" for line in PIPES]
    assert hit.text.split("\n") == lines[hit.start_line - 1 : hit.end_line]
    assert ultron.search_sessions("cane sugar")[0].agent_id == "baker"


def test_a_session_is_shown_once_with_its_best_window(ultron, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    hits = ultron.search_sessions("radiator boiler")
    assert next(hit.session_id for hit in hits) == ids["plumber"]
    assert len({hit.session_id for hit in hits}) == len(hits)
    assert len(ultron.search_sessions("radiator", limit=1)) == 1


def test_filters_by_agent_and_time(ultron, tmp_path):
    ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    assert {hit.agent_id for hit in ultron.search_sessions("radiator", agent_id="baker")} <= {"baker"}
    after = datetime(2026, 1, 3, tzinfo=UTC)
    assert ultron.search_sessions("radiator", since=after) == []
    assert ultron.search_sessions("radiator", until=after)[0].agent_id == "plumber"


def test_windows_overlap_and_cover_every_turn(ultron, tmp_path):
    ingest(ultron, tmp_path, plumber=PIPES)
    found = rows(ultron, "SELECT start_line, end_line FROM message_windows ORDER BY start_line")
    assert [(row["start_line"], row["end_line"]) for row in found] == [(1, 4), (3, 6)]


def test_indexing_again_writes_nothing_and_a_longer_log_only_what_is_new(ultron, embedder, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES)
    before = rows_written(ultron.context.database)
    assert index_windows(ultron.context, ids["plumber"]) == 0
    assert rows_written(ultron.context.database) == before
    kept = {row["id"] for row in rows(ultron, "SELECT ctid::text AS id FROM message_windows")}
    ultron.ingest([write_log(tmp_path / "plumber.jsonl", PIPES, CAKES)], "plumber")
    embedder.texts.clear()
    assert index_windows(ultron.context, ids["plumber"]) == len(embedder.texts) == 2
    assert kept <= {row["id"] for row in rows(ultron, "SELECT ctid::text AS id FROM message_windows")}


def test_frequencies_follow_windows_that_go(ultron, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    changed = [*PIPES[:4], turn("user", "Where is the stopcock?", 4), turn("assistant", "Under the sink.", 5)]
    ultron.ingest([write_log(tmp_path / "plumber.jsonl", changed)], "plumber")
    index_windows(ultron.context, ids["plumber"])
    counted = rows(
        ultron,
        "SELECT term, count(*)::integer AS df FROM message_windows, unnest(terms) AS term GROUP BY 1 ORDER BY 1",
    )
    stored = "SELECT term, df FROM lexical_df WHERE scope = 'window' AND df > 0 ORDER BY 1"
    assert rows(ultron, stored) == counted
    assert one(ultron, "SELECT documents FROM lexical_stats WHERE scope = 'window'")["documents"] == 3


def test_windows_made_without_an_embedder_get_their_vectors_later(ultron, embedder, tmp_path):
    embedder.down = True
    ids = ingest(ultron, tmp_path, plumber=PIPES)
    assert ultron.search_sessions("radiator")[0].session_id == ids["plumber"]
    before = rows_written(ultron.context.database)
    assert fill_windows(ultron.context) == 0
    assert rows_written(ultron.context.database) == before
    embedder.down = False
    assert fill_windows(ultron.context) == 2
    assert rows(ultron, "SELECT 1 FROM message_windows WHERE embedding IS NULL") == []
    assert fill_windows(ultron.context) == 0


def test_tool_output_is_no_turn_of_a_window(ultron, tmp_path):
    ingest(ultron, tmp_path, coder=task("alpha"))
    held = {row["term"] for row in rows(ultron, "SELECT term FROM lexical_df WHERE scope = 'window'")}
    assert held & ids_of("please build the alpha module")
    assert not held & ids_of("0.08s")


def ids_of(text):
    return {term_id(term) for term in query_terms(text)}
