"""Whatever a caller passes to `Ultron`: a result, or one clear InputError; never the driver's error or a TypeError."""

import math
import time
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ultron_core.client import Ultron
from ultron_core.errors import InputError


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


MEGABYTE = "x" * 1_000_000

REFUSED = {
    "a megabyte as a tag": lambda u: u.upload_memory("pip fails", tags=[MEGABYTE]),
    "a megabyte as a key": lambda u: u.upload_memory("pip fails", idempotency_key=MEGABYTE),
    "a megabyte as an agent": lambda u: u.upload_memory("pip fails", agent_id=MEGABYTE),
    "a text as tags": lambda u: u.upload_memory("pip fails", tags="pip"),
    "too many tags": lambda u: u.upload_memory("pip fails", tags=[str(i) for i in range(101)]),
    "None as content": lambda u: u.upload_memory(None),
    "bytes as content": lambda u: u.upload_memory(b"pip fails"),
    "a very long content": lambda u: u.upload_memory(MEGABYTE + "x"),
    "a control character in an agent": lambda u: u.upload_memory("pip fails", agent_id="\x1b[31mroot"),
    "a turned direction in an agent": lambda u: u.ingest_text("pip fails", "a\u202eb"),
    "a line end in a project": lambda u: u.upload_memory("pip fails", project="shop\nsaid by human"),
    "a title in a key's name": lambda u: u.keys.add("\x1b]0;x\x07", preset="agent"),
    "half a pair as an agent": lambda u: u.upload_memory("pip fails", agent_id="\ud800"),
    "None as memories": lambda u: u.upload_memories(None),
    "None as a memory": lambda u: u.upload_memories([None]),
    "an unknown field": lambda u: u.upload_memories([{"content": "x", "contents": "y"}]),
    "a memory without content": lambda u: u.upload_memories([{"tags": ["x"]}]),
    "an unknown type of memory": lambda u: u.upload_memories([{"content": "x", "memory_type": "rule"}]),
    "sources made by hand": lambda u: u.upload_memories([{"content": "x", "sources": ["log"]}]),
    "a confidence of NaN": lambda u: u.upload_memories([{"content": "x", "confidence": math.nan}]),
    "None as text": lambda u: u.ingest_text(None),
    "None as an agent": lambda u: u.ingest_text("pip fails", None),
    "a number as paths": lambda u: u.ingest(3, "agent"),
    "None as paths": lambda u: u.ingest(None, "agent"),
    "None as a query": lambda u: u.search_memories(None),
    "an empty query": lambda u: u.search_memories("  "),
    "a limit of 2**70": lambda u: u.search_memories("pip", limit=2**70),
    "a limit of 0": lambda u: u.search_memories("pip", limit=0),
    "a limit of True": lambda u: u.search_memories("pip", limit=True),
    "a limit of 1.5": lambda u: u.search_memories("pip", limit=1.5),
    "an unknown tier": lambda u: u.search_memories("pip", tiers=["TEPID"]),
    "an unknown type": lambda u: u.search_memories("pip", memory_types=["errors"]),
    "an unknown status": lambda u: u.search_memories("pip", status="deleted"),
    "an unknown level": lambda u: u.search_memories("pip", detail_level="l2"),
    "a list as a level": lambda u: u.search_memories("pip", detail_level=["l1"]),
    "a text as a time": lambda u: u.search_memories("pip", since="yesterday"),
    "a text as tiers": lambda u: u.search_memories("pip", tiers="HOT"),
    "a negative limit of sessions": lambda u: u.search_sessions("pip", limit=-1),
    "a limit of 2**70 sessions": lambda u: u.search_sessions("pip", limit=2**70),
    "a text as ids": lambda u: u.get_memory_details("3f2b6c1e"),
    "None as ids": lambda u: u.get_memory_details(None),
    "what is not an id": lambda u: u.get_memory_details(["3f2b6c1e"]),
    "None as an id": lambda u: u.delete_memory(None),
    "a megabyte as a tag to archive": lambda u: u.archive_memories_by_tag(MEGABYTE),
    "None as a tag to archive": lambda u: u.archive_memories_by_tag(None),
    "a negative batch": lambda u: u.trajectory_service.segment_pending_sessions(-1),
    "a batch of None": lambda u: u.trajectory_service.label_pending_segments(None),
    "a batch of 2**70": lambda u: u.trajectory_service.extract_memories_from_segments(2**70),
    "an unknown task type": lambda u: u.trajectory_service.export_sft(task_type="coding"),
    "a score of 2": lambda u: u.trajectory_service.export_sft(min_quality_score=2),
    "an export of 2**70 rows": lambda u: u.trajectory_service.export_sft(limit=2**70),
    "a slug of None": lambda u: u.clusters.mark_crystallized(str(UUID(int=1)), None),
    "a negative number of changes": lambda u: u.clusters.get_changes(limit=-3),
}


def test_each_is_refused_with_one_short_input_error(ultron):
    wrong = {}
    for name, call in REFUSED.items():
        try:
            found = call(ultron)
        except InputError as error:
            if len(str(error)) > 300:
                wrong[name] = f"a message of {len(str(error))} characters"
        except Exception as error:
            wrong[name] = repr(error)[:200]
        else:
            wrong[name] = f"accepted: {found!r}"[:200]
    assert not wrong
    assert ultron.get_memory_stats()["total"] == 0


def test_what_is_unusual_and_valid_is_accepted(ultron):
    record = ultron.upload_memory("caf\ud800e", tags=["a\x00b", "x" * 200], agent_id="ella")
    assert record.content == "cafe"
    assert ultron.search_memories("cafe", limit=10_000, tiers=["warm", "HOT", "COLD"], memory_types=None)
    assert ultron.search_memories("\ud800cafe", since=datetime.min.replace(tzinfo=UTC)) is not None
    assert ultron.get_memory_details([]) == []


#: values of the wrong kind and at the edges, and some that are right
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(st.characters(codec=None), max_size=30),
    st.binary(max_size=8),
    st.sampled_from(["HOT", "error", "active", "pip", "l1", "debug", "x" * 2000, str(UUID(int=7))]),
    st.datetimes(),
    st.lists(st.one_of(st.text(max_size=5), st.none(), st.integers()), max_size=3),
    st.dictionaries(
        st.sampled_from(["content", "tags", "memory_type", "x"]), st.text(max_size=5), max_size=2
    ),
)


#: a busy machine tries fewer
SECONDS = 15


def calls(ultron):
    """Every public method with the arguments that are drawn for it; `paths` never name a real folder."""
    service, clusters = ultron.trajectory_service, ultron.clusters
    memory_names = ("content", "context", "resolution", "tags", "idempotency_key", "agent_id")
    search_names = ("detail_level", "limit", "memory_types", "tags", "tiers", "status", "agent_id", "since")
    return [
        (ultron.ingest_text, ("text", "agent_id")),
        (ultron.upload_memory, memory_names),
        (ultron.upload_memories, ("memories",)),
        (partial(ultron.search_memories, "pip"), search_names),
        (ultron.search_memories, ("query", "until", "explain")),
        (ultron.search_sessions, ("query", "limit", "agent_id", "since", "until")),
        (ultron.get_memory_details, ("ids",)),
        (ultron.get_memory_sources, ("memory_id",)),
        (ultron.update_memory, ("memory_id", "content", "tags")),
        (ultron.delete_memory, ("memory_id",)),
        (ultron.unmerge, ("decision_id",)),
        (ultron.archive_memories_by_tag, ("tag",)),
        (service.segment_pending_sessions, ("batch_size",)),
        (service.label_pending_segments, ("batch_size",)),
        (service.extract_memories_from_segments, ("batch_size",)),
        (service.export_sft, ("task_type", "min_quality_score", "limit")),
        (clusters.assign_memory_to_cluster, ("memory",)),
        (clusters.get_cluster_memories, ("cluster_id",)),
        (clusters.get_changes, ("cluster_id", "limit")),
        (clusters.mark_crystallized, ("cluster_id", "skill_slug")),
    ]


def test_any_argument_gives_a_result_or_an_input_error(ultron):
    offered = calls(ultron)
    until = time.monotonic() + SECONDS

    @hypothesis_settings(
        max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
    )
    @given(st.integers(0, len(offered) - 1), st.data())
    def fuzz(which, data):
        if time.monotonic() > until:
            return
        function, names = offered[which]
        # one argument at least is drawn; the first is always given, as most have no default
        chosen = {names[0]} | set(data.draw(st.sets(st.sampled_from(names), max_size=2)))
        arguments = {name: data.draw(ODD, label=name) for name in names if name in chosen}
        try:
            function(**arguments)
        except InputError as error:
            assert len(str(error)) < 1000

    fuzz()
