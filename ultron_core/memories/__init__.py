"""Extract, gate, classify, compare, merge and summarise memories: pure decisions, no SQL, no embedding."""

from ultron_core.lessons.gate import gate_draft
from ultron_core.memories.backing import UNBACKED, Backing
from ultron_core.memories.by_model import drafts_from, extract_with_model, extractor_of
from ultron_core.memories.classify import classify_memory
from ultron_core.memories.cures import cure_of_merge
from ultron_core.memories.embedding_text import embedding_text
from ultron_core.memories.extract import EXTRACTOR_VERSION, extract_memories
from ultron_core.memories.from_text import extract_from_text
from ultron_core.memories.merging.bodies import Body, MergeResult, merge_bodies, merge_tags
from ultron_core.memories.merging.confirm import same_fact
from ultron_core.memories.merging.divergence import diverges
from ultron_core.memories.merging.relations import Relation, relate
from ultron_core.memories.summarize import Summary, summarize_memory
from ultron_core.memories.tiers import TierRow, assign_tiers

__all__ = [
    "EXTRACTOR_VERSION",
    "UNBACKED",
    "Backing",
    "Body",
    "MergeResult",
    "Relation",
    "Summary",
    "TierRow",
    "assign_tiers",
    "classify_memory",
    "cure_of_merge",
    "diverges",
    "drafts_from",
    "embedding_text",
    "extract_from_text",
    "extract_memories",
    "extract_with_model",
    "extractor_of",
    "gate_draft",
    "merge_bodies",
    "merge_tags",
    "relate",
    "same_fact",
    "summarize_memory",
]
