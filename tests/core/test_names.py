"""Names that no database can hold are refused with a word, before anything is written or asked."""

import pytest

from tests.support.memories import StubEmbedder, rows
from ultron_core.client import Ultron
from ultron_core.errors import InputError

CALLS = {
    "upload, agent": lambda ultron, bad: ultron.upload_memory("A fact.", agent_id=bad),
    "upload, key": lambda ultron, bad: ultron.upload_memory("A fact.", idempotency_key=bad),
    "search, agent": lambda ultron, bad: ultron.search_memories("fact", agent_id=bad),
    "search, tags": lambda ultron, bad: ultron.search_memories("fact", tags=["good", bad]),
    "search of sessions": lambda ultron, bad: ultron.search_sessions("fact", agent_id=bad),
    "text": lambda ultron, bad: ultron.ingest_text("Error: a. Fix: b.", agent_id=bad),
    "tag": lambda ultron, bad: ultron.archive_memories_by_tag(bad),
}


def test_a_name_with_nul_or_half_a_pair_is_refused(settings):
    with Ultron(settings, embedder=StubEmbedder()) as ultron:
        for call in CALLS.values():
            for bad in ("a\x00b", "a\ud800b"):
                with pytest.raises(InputError, match="NUL or half a surrogate pair"):
                    call(ultron, bad)
        assert not rows(ultron, "SELECT 1 FROM memories UNION ALL SELECT 1 FROM raw_uploads")
