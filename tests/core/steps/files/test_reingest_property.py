"""Whatever is done to a log, what is stored afterwards is what a store that sees it for the first time would hold."""

import json
from itertools import count

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.support.memories import StubEmbedder, rows
from tests.support.worlds import CuttingLLM, task
from ultron_core.client import Ultron

NAMES = ("alpha", "beta", "gamma", "delta")
NUMBERS = count()

#: a log is a list of names of tasks; an edit makes another one of it
EDITS = st.one_of(
    st.tuples(st.just("append"), st.sampled_from(NAMES)),
    st.tuples(st.just("prepend"), st.sampled_from(NAMES)),
    st.tuples(st.just("insert"), st.sampled_from(NAMES)),
    st.tuples(st.just("cut"), st.integers(1, 2)),
    st.tuples(st.just("reverse"), st.none()),
    st.tuples(st.just("repeat"), st.none()),
)


def edited(names, edit):
    kind, value = edit
    if kind == "append":
        return [*names, value]
    if kind == "prepend":
        return [value, *names]
    if kind == "insert":
        return [*names[: len(names) // 2], value, *names[len(names) // 2 :]]
    if kind == "cut":
        return names[:-value] or names[:1]
    return names[::-1] if kind == "reverse" else [*names, names[-1]]


def segments(ultron, agent):
    """Everything that a fresh segmentation fixes, in order of place."""
    return rows(
        ultron,
        "SELECT thread, start_message, end_message, start_line, end_line, fingerprint, closed, topic"
        f" FROM task_segments WHERE agent_id = '{agent}' ORDER BY thread, start_message",
    )


def kept(ultron, agent):
    """How often each fingerprint is stored, with ids and the labels that the test wrote."""
    found = rows(
        ultron,
        f"SELECT id, fingerprint, quality_metrics FROM task_segments WHERE agent_id = '{agent}'",
    )
    groups = {}
    for row in found:
        groups.setdefault(row["fingerprint"], {})[row["id"]] = row["quality_metrics"]
    return groups


def mark(ultron, agent):
    with ultron.runtime.database.transaction() as conn:
        conn.execute(
            "UPDATE task_segments SET quality_metrics = jsonb_build_object('of', id::text)"
            f" WHERE agent_id = '{agent}'"
        )


def see(ultron, folder, agent, names):
    """The log as it is now, read and cut; a log rewritten in place keeps its name and agent."""
    path = folder / agent / "log.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for name in names for line in task(name)), "utf-8")
    ultron.ingest([path], agent)
    ultron.trajectory_service.segment_pending_sessions()


@pytest.fixture
def opened(settings):
    with Ultron(settings, llm=CuttingLLM(), quality_llm=CuttingLLM(), embedder=StubEmbedder()) as ultron:
        yield ultron


@hypothesis_settings(
    max_examples=12, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    first=st.lists(st.sampled_from(NAMES), min_size=2, max_size=4),
    edits=st.lists(EDITS, min_size=1, max_size=3),
)
def test_stored_segments_are_those_of_a_fresh_segmentation(opened, tmp_path, first, edits):
    number = next(NUMBERS)
    agent, names = f"edited-{number}", first
    see(opened, tmp_path, agent, names)
    mark(opened, agent)
    for step, edit in enumerate(edits):
        before = kept(opened, agent)
        names = edited(names, edit)
        see(opened, tmp_path, agent, names)
        fresh = f"fresh-{number}-{step}"
        see(opened, tmp_path, fresh, names)
        assert segments(opened, agent) == segments(opened, fresh)
        after = kept(opened, agent)
        for fingerprint, old in before.items():
            now = after.get(fingerprint, {})
            survivors = old.keys() & now.keys()
            assert len(survivors) == min(len(old), len(now)), "an unchanged task keeps its row"
            assert all(now[i] == old[i] for i in survivors), "and what hangs on it"
        mark(opened, agent)
