"""What the tools of agents tell of a memory."""

from tests.support.claims import again, said, segments_of
from tests.support.memories import StubEmbedder
from ultron_core.client import Ultron
from ultron_core.serve.told import told_hits, told_memories, told_memory

CLAIM = "The proxy drops idle connections after thirty seconds."


def test_a_claim_is_told_as_what_the_agent_said(settings):
    with Ultron(settings, embedder=StubEmbedder()) as ultron:
        (segment,) = segments_of(ultron, "first")
        claim = said(ultron, segment, CLAIM)
        line = f"m:{str(claim.id)[:8]} pattern, said by agent, claimed, shop: The agent said: {CLAIM}"
        assert told_hits(ultron.search_memories("idle connections", claimed=True), 500) == line
        whole = told_memories([(claim, ultron.get_memory_sources(claim.id))], 500)
        assert "pattern, claimed, said by agent, claimed, version 1" in whole
        assert f"content: The agent said: {CLAIM}" in whole
        ultron.confirm_memory(claim.id)
        told = told_memory(again(ultron, claim))
        assert "said by agent, person" in told and "The agent said" not in told
