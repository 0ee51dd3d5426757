"""Search over the verbatim log: which session, which lines, and nothing written twice."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from tests.support.memories import StubEmbedder, axis, one, rows
from tests.support.worlds import call, rows_written, task, write_log
from ultron_core.client import Ultron
from ultron_core.search import lexical_terms, make_windows, query_terms, term_id
from ultron_core.sessions import parse_session
from ultron_core.steps.search.windows import fill_windows, index_windows, recount_windows


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
        index_windows(ultron.runtime, [session_id])
    return found


def test_a_search_finds_the_lines_word_for_word(ultron, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    hit = ultron.search_sessions("ERR_VALVE_42", all_agents=True)[0]
    assert hit.session_id == ids["plumber"] and hit.session_file.endswith("plumber.jsonl")
    assert hit.start_line <= 5 <= hit.end_line <= 6
    lines = [f"{line['role']}: {line['content']}" for line in PIPES]
    assert hit.text.split("\n") == lines[hit.start_line - 1 : hit.end_line]
    assert ultron.search_sessions("cane sugar", all_agents=True)[0].agent_id == "baker"


def test_a_session_is_shown_once_with_its_best_window(ultron, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    hits = ultron.search_sessions("radiator boiler", all_agents=True)
    assert next(hit.session_id for hit in hits) == ids["plumber"]
    assert len({hit.session_id for hit in hits}) == len(hits)
    assert len(ultron.search_sessions("radiator", limit=1, all_agents=True)) == 1


def test_a_time_in_the_query_lifts_what_was_said_then(ultron, tmp_path):
    later = [{**line, "timestamp": line["timestamp"].replace("2026-01-02", "2026-03-04")} for line in PIPES]
    ingest(ultron, tmp_path, january=PIPES, march=later)
    assert [hit.agent_id for hit in ultron.search_sessions("radiator on 4 March 2026", all_agents=True)] == [
        "march",
        "january",
    ]
    assert [hit.agent_id for hit in ultron.search_sessions("radiator in January 2026", all_agents=True)] == [
        "january",
        "march",
    ]
    assert ultron.search_sessions("on 2 January 2026", all_agents=True)[0].agent_id == "january"


def test_what_nobody_spoke_of_is_marked_weak(tmp_path, settings):
    with Ultron(settings, embedder=StubEmbedder()) as ultron:
        ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
        assert not ultron.search_sessions("ERR_VALVE_42 of the boiler", all_agents=True)[0].weak
        foreign = ultron.search_sessions("ERR_VALVE_42 in quarterly tax law of Norway", all_agents=True)
        assert all(hit.weak for hit in foreign)


def test_the_middle_of_a_long_paste_and_the_error_of_a_tool_are_found(ultron, tmp_path):
    paste = "\n".join(f"row {n} of the listing" for n in range(200)) + "\nzanzibar at the end"
    output = "collecting\n" * 500 + "KeyError: 'flux_capacitor'\n"
    log = [
        turn("user", paste, 0),
        {**turn("assistant", "I look.", 1), "tool_calls": [call("c1", "pytest tests/test_flux.py")]},
        {**turn("tool", output, 2), "tool_call_id": "c1"},
        turn("assistant", "A key is missing.", 3),
    ]
    ingest(ultron, tmp_path, coder=log, baker=CAKES)
    for query, line in (("zanzibar", 1), ("flux_capacitor", 3), ("test_flux.py", 2)):
        hit = ultron.search_sessions(query, all_agents=True)[0]
        assert hit.agent_id == "coder" and hit.start_line <= line <= hit.end_line
        assert query in hit.text and len(hit.text) < 5000


def test_more_different_terms_than_a_vector_holds_are_no_error(ultron, tmp_path):
    def characters(step, count):
        return "".join(chr(0x4E00 + n * step % 20_000) for n in range(count))

    log = []
    for n in range(5):
        calls = [call(f"c{n}-{i}", characters(7921 + 2 * (16 * n + i), 160)) for i in range(16)]
        log.append({**turn("assistant", characters(7919, 6000)[1200 * n :][:1200], n), "tool_calls": calls})
    assert max(len(lexical_terms(window.text)) for window in make_windows(parse(log))) > 16_000
    ingest(ultron, tmp_path, scribe=log)
    assert ultron.search_sessions(characters(7919, 120)[100:], all_agents=True)[0].agent_id == "scribe"


def test_a_pasted_line_finds_where_it_stands_word_by_word(ultron, tmp_path):
    shuffled = talk("stuck is the valve half open, said the half stuck man", "open the valve")
    ingest(ultron, tmp_path, plumber=PIPES, other=shuffled)
    assert ultron.search_sessions("The valve is stuck half open.", all_agents=True)[0].agent_id == "plumber"


def test_filters_by_agent_and_time(ultron, tmp_path):
    ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    assert {hit.agent_id for hit in ultron.search_sessions("radiator", agent_id="baker")} <= {"baker"}
    after = datetime(2026, 1, 3, tzinfo=UTC)
    assert ultron.search_sessions("radiator", since=after, all_agents=True) == []
    assert ultron.search_sessions("radiator", until=after, all_agents=True)[0].agent_id == "plumber"


def test_windows_overlap_and_cover_every_turn(ultron, tmp_path):
    ingest(ultron, tmp_path, plumber=PIPES)
    found = rows(ultron, "SELECT start_line, end_line FROM message_windows ORDER BY start_line")
    assert [(row["start_line"], row["end_line"]) for row in found] == [(1, 4), (3, 6)]


def test_indexing_again_writes_nothing_and_a_longer_log_only_what_is_new(ultron, embedder, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES)
    before = rows_written(ultron.runtime.database)
    assert index_windows(ultron.runtime, [ids["plumber"]]).written == 0
    assert rows_written(ultron.runtime.database) == before
    kept = {row["id"] for row in rows(ultron, "SELECT ctid::text AS id FROM message_windows")}
    ultron.ingest([write_log(tmp_path / "plumber.jsonl", PIPES, CAKES)], "plumber")
    embedder.texts.clear()
    assert index_windows(ultron.runtime, [ids["plumber"]]).written == len(embedder.texts) == 2
    assert kept <= {row["id"] for row in rows(ultron, "SELECT ctid::text AS id FROM message_windows")}


def test_frequencies_follow_windows_that_go(ultron, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    changed = [*PIPES[:4], turn("user", "Where is the stopcock?", 4), turn("assistant", "Under the sink.", 5)]
    ultron.ingest([write_log(tmp_path / "plumber.jsonl", changed)], "plumber")
    index_windows(ultron.runtime, [ids["plumber"]])
    counted = rows(
        ultron,
        "SELECT term, count(*)::integer AS df FROM message_windows, unnest(terms) AS term GROUP BY 1 ORDER BY 1",
    )
    stored = "SELECT term, df FROM lexical_df WHERE scope = 'window' AND df > 0 ORDER BY 1"
    assert rows(ultron, stored) == counted
    assert one(ultron, "SELECT documents FROM lexical_stats WHERE scope = 'window'")["documents"] == 3


def test_a_shorter_log_leaves_no_window_behind_and_neither_does_a_deleted_session(ultron, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=[*PIPES, *CAKES])
    ultron.ingest([write_log(tmp_path / "plumber.jsonl", PIPES[:2])], "plumber")
    index_windows(ultron.runtime, [ids["plumber"]])
    left = rows(ultron, "SELECT place, start_line, end_line FROM message_windows")
    assert left == [{"place": 0, "start_line": 1, "end_line": 2}]
    assert ultron.search_sessions("radiator", all_agents=True)[0].text.count("\n") == 1
    with ultron.runtime.database.transaction() as conn:
        conn.execute("DELETE FROM sessions")
    assert rows(ultron, "SELECT 1 FROM message_windows") == []
    assert ultron.search_sessions("pipe", all_agents=True) == []
    recount_windows(ultron.runtime)
    assert rows(ultron, "SELECT 1 FROM lexical_df WHERE scope = 'window' AND df > 0") == []
    assert one(ultron, "SELECT documents FROM lexical_stats WHERE scope = 'window'")["documents"] == 0


def test_windows_of_an_older_layout_are_made_anew_by_the_back_fill(ultron, tmp_path):
    ingest(ultron, tmp_path, plumber=PIPES)
    with ultron.runtime.database.transaction() as conn:
        conn.execute("UPDATE message_windows SET layout = 1, digest = 'old'")
        conn.execute("UPDATE sessions SET windowed = replace(windowed, '3:', '1:')")
    assert fill_windows(ultron.runtime) == 2
    assert fill_windows(ultron.runtime) == 0


def test_two_processes_that_index_the_same_log_write_it_once(ultron, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES)
    with ultron.runtime.database.transaction() as conn:
        conn.execute("UPDATE message_windows SET digest = 'old'")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: index_windows(ultron.runtime, [ids["plumber"]]), range(4)))
    assert one(ultron, "SELECT count(*) FROM message_windows")["count"] == 2
    assert one(ultron, "SELECT documents FROM lexical_stats WHERE scope = 'window'")["documents"] == 2


def test_another_account_sees_nothing_of_the_log(ultron, settings, tmp_path):
    ids = ingest(ultron, tmp_path, plumber=PIPES)
    store = settings.store.model_copy(update={"account_id": "other"})
    with Ultron(settings.model_copy(update={"store": store}), embedder=StubEmbedder()) as other:
        assert other.search_sessions("ERR_VALVE_42") == []
        assert index_windows(other.runtime, [ids["plumber"]]).written == 0
    assert one(ultron, "SELECT count(*) FROM message_windows")["count"] == 2


def test_windows_made_without_an_embedder_get_their_vectors_later(ultron, embedder, tmp_path):
    embedder.down = True
    ids = ingest(ultron, tmp_path, plumber=PIPES)
    assert ultron.search_sessions("radiator", all_agents=True)[0].session_id == ids["plumber"]
    before = rows_written(ultron.runtime.database)
    assert fill_windows(ultron.runtime) == 0
    assert rows_written(ultron.runtime.database) == before
    embedder.down = False
    assert fill_windows(ultron.runtime) == 2
    assert rows(ultron, "SELECT 1 FROM message_windows WHERE embedding IS NULL") == []
    assert fill_windows(ultron.runtime) == 0


def test_no_index_is_made_while_no_window_has_a_vector(ultron, embedder, tmp_path):
    embedder.model_id = "never seen before"  # indexes outlive the rows of a test
    indexes = "SELECT 1 FROM pg_indexes WHERE tablename = 'message_windows' AND indexdef LIKE '%never seen%'"
    embedder.down = True
    ingest(ultron, tmp_path, plumber=PIPES)
    assert rows(ultron, indexes) == []
    embedder.down = False
    fill_windows(ultron.runtime)
    assert len(rows(ultron, indexes)) == 1


def test_a_window_that_the_embedder_refuses_is_found_by_its_words_and_holds_up_no_other(
    ultron, embedder, tmp_path
):
    embedder.refused = "sugar"
    ids = ingest(ultron, tmp_path, plumber=PIPES, baker=CAKES)
    without = rows(ultron, "SELECT session_id FROM message_windows WHERE embedding IS NULL")
    assert [row["session_id"] for row in without] == [ids["baker"]]
    assert ultron.search_sessions("cane sugar", all_agents=True)[0].agent_id == "baker"
    asked = embedder.asked
    assert fill_windows(ultron.runtime) == 0 and embedder.asked == asked, "nothing is left to do"


def test_a_refused_window_is_tried_again_when_its_log_changes(ultron, embedder, tmp_path):
    embedder.refused = "sugar"
    ids = ingest(ultron, tmp_path, baker=CAKES)
    embedder.refused = None
    ultron.ingest([write_log(tmp_path / "baker.jsonl", CAKES, PIPES)], "baker")
    index_windows(ultron.runtime, [ids["baker"]])
    assert rows(ultron, "SELECT 1 FROM message_windows WHERE embedding IS NULL") == []


def test_tool_output_is_no_turn_of_a_window(ultron, tmp_path):
    ingest(ultron, tmp_path, coder=task("alpha"))
    held = {row["term"] for row in rows(ultron, "SELECT term FROM lexical_df WHERE scope = 'window'")}
    assert held & ids_of("please build the alpha module")
    assert not held & ids_of("0.08s")


def parse(lines):
    return parse_session("\n".join(json.dumps(line) for line in lines).encode()).messages


def ids_of(text):
    return {term_id(term) for term in query_terms(text)}


def test_an_embedder_that_is_back_leaves_no_error_on_the_session(ultron, embedder, tmp_path):
    embedder.down = True
    ingest(ultron, tmp_path, plumber=PIPES)
    ultron.process_pending()
    assert "embedder" in one(ultron, "SELECT error FROM sessions")["error"]
    embedder.down = False
    ultron.process_pending()
    assert one(ultron, "SELECT error FROM sessions")["error"] is None
