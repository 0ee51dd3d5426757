"""Every table with user data: how its rows are found and erased, and how a memory is exported.

file      rows name their agent and file; they go with all generations of the file
session   rows go with their session (ON DELETE CASCADE from sessions)
segment   rows go with their segment (ON DELETE CASCADE from task_segments)
memory    rows go with their memory (ON DELETE CASCADE from memories); memories go when nothing else gave them
lease     rows name any row that is worked on
answer    rows name nothing that they belong to: all of the account go whenever something is erased
blob      bytes are shared; they go when the last upload that points at them goes
account   rows belong to the account alone: deleting by it is enough
kept      what was shipped stays known: erasing lists it instead, and only the account's own end takes it
mark      what erasing itself leaves: hashes and counts

A new table that is missing here fails a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

__all__ = ["CARRIED", "ERASURE", "FOUND_BY", "NOT_CARRIED", "OF_AGENT", "Rule"]

Rule = Literal["file", "session", "segment", "memory", "lease", "answer", "blob", "account", "kept", "mark"]

ERASURE: Mapping[str, Rule] = MappingProxyType(
    {
        "source_files": "file",
        "raw_uploads": "file",
        "raw_blobs": "blob",
        "sessions": "file",
        "messages": "session",
        "task_segments": "session",
        "message_windows": "session",
        "drops": "session",
        "memories": "memory",
        "memory_usage": "memory",
        "memory_search": "memory",
        "memory_vectors": "memory",
        "memory_sources": "memory",
        "memory_contributions": "memory",
        "merge_decisions": "memory",
        "memory_links": "memory",
        "cluster_members": "memory",
        "clusters": "account",
        "cluster_changes": "account",
        "idempotency_keys": "memory",
        "memory_versions": "memory",
        "memory_verdicts": "memory",
        "taste": "account",
        "api_keys": "account",
        "leases": "lease",
        "embedding_models": "account",
        "lexical_df": "account",
        "lexical_stats": "account",
        "redaction_replays": "account",
        "llm_calls": "account",
        "llm_cache": "answer",
        "outcomes": "file",
        "sft_cleaned": "segment",
        "sft_drafted": "segment",
        "sft_exports": "kept",
        "sft_export_rows": "kept",
        "training_runs": "kept",
        "training_rows": "kept",
        "erasures": "mark",
        "erased_logs": "mark",
        "erasure_keys": "mark",
    }
)

#: tables of a memory whose rows leave the store in its line, each under its name there (`ultron export`)
CARRIED: Mapping[str, str] = MappingProxyType(
    {
        "memory_usage": "usage",
        "memory_sources": "sources",
        "memory_contributions": "contributions",
        "merge_decisions": "decisions",
        "memory_links": "links",
        "memory_versions": "versions",
        "memory_verdicts": "verdicts",
    }
)
#: the others, each with the reason
NOT_CARRIED: Mapping[str, str] = MappingProxyType(
    {
        "memory_search": "made of the words",
        "memory_vectors": "made of the words; that of the model in use on request",
        "cluster_members": "made of the vectors",
        "idempotency_keys": "a promise to those who write into this store",
    }
)
#: the column by which a memory's rows are found, where it is not `memory_id`
FOUND_BY: Mapping[str, str] = MappingProxyType({"memories": "id", "memory_links": "from_id"})
#: tables with rows that name an agent and may belong to no session and no memory of its own
OF_AGENT = ("source_files", "raw_uploads", "outcomes", "drops", "idempotency_keys", "api_keys")
