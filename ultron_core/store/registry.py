"""Every table with user data: how a session, an agent or an account is erased from it, and how a memory is exported.

    account   rows carry account_id; deleting by it is enough
    session   rows go with their session (ON DELETE CASCADE from sessions)
    memory    rows go with their memory (ON DELETE CASCADE from memories); memories go when no source is left
    blob      bytes are shared; they go when the last upload that points at them goes
    kept      what was shipped stays known: erasing lists it instead

A new table that is missing here fails a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

__all__ = ["CARRIED", "ERASURE", "NOT_CARRIED", "Rule"]

Rule = Literal["account", "session", "memory", "blob", "kept"]

ERASURE: Mapping[str, Rule] = MappingProxyType(
    {
        "source_files": "account",
        "raw_uploads": "account",
        "raw_blobs": "blob",
        "sessions": "account",
        "messages": "session",
        "task_segments": "session",
        "message_windows": "session",
        "drops": "session",
        "memories": "account",
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
        "leases": "account",
        "embedding_models": "account",
        "lexical_df": "account",
        "lexical_stats": "account",
        "redaction_replays": "account",
        "llm_calls": "account",
        "llm_cache": "account",
        "outcomes": "account",
        "sft_cleaned": "session",
        "sft_drafted": "session",
        "sft_exports": "kept",
        "sft_export_rows": "kept",
        "training_runs": "kept",
        "training_rows": "kept",
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
