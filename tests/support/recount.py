"""Everything that a store counts or copies, counted again from the rows it was made of."""

import json
from collections import Counter

import numpy as np

from tests.support.memories import rows
from ultron_core.memories import Body
from ultron_core.search import lexical_terms
from ultron_core.search.terms import term_id


def counters_off(ultron):
    """What does not agree with the base rows, in words; empty when all is well. Of all accounts."""
    memories = {row["id"]: row for row in rows(ultron, "SELECT * FROM memories")}
    checks = (_words, _word_counts, _usage, _vectors, _members, _centroids, _keys, _orphans, _shelves)
    return [problem for check in checks for problem in check(ultron, memories)]


def _words(ultron, memories):
    """memory_search holds the words of the bodies, once each."""
    stored = {row["memory_id"]: row for row in rows(ultron, "SELECT * FROM memory_search")}
    if stored.keys() != memories.keys():
        yield "memory_search has other memories than memories"
    for memory_id, row in stored.items():
        memory = memories[memory_id]
        counts = lexical_terms(Body(memory["content"], memory["context"], memory["resolution"]).text)
        if sorted(row["terms"]) != sorted({term_id(term) for term in counts}):
            yield f"terms of {memory['content']!r} are others"
        if row["length"] != sum(counts.values()):
            yield f"length of {memory['content']!r} is {row['length']}"
        for name in ("account_id", "status", "memory_type"):
            if row[name] != memory[name]:
                yield f"memory_search.{name} of {memory['content']!r} is {row[name]}"


def _word_counts(ultron, memories):
    terms, documents, lengths = Counter(), Counter(), Counter()
    for row in rows(ultron, "SELECT * FROM memory_search"):
        memory = memories[row["memory_id"]]
        if memory["status"] != "archived":
            terms.update((memory["account_id"], term) for term in row["terms"])
            documents[memory["account_id"]] += 1
            lengths[memory["account_id"]] += row["length"]
    stored = rows(ultron, "SELECT account_id, term, df FROM lexical_df WHERE scope = 'memory' AND df <> 0")
    if {(row["account_id"], row["term"]): row["df"] for row in stored} != dict(terms):
        yield "lexical_df is off"
    for row in rows(ultron, "SELECT * FROM lexical_stats WHERE scope = 'memory'"):
        account = row["account_id"]
        if (row["documents"], row["total_length"]) != (documents[account], lengths[account]):
            yield f"lexical_stats of {account}: {row['documents']} documents, not {documents[account]}"


def _usage(ultron, memories):
    stored = {row["memory_id"]: row for row in rows(ultron, "SELECT * FROM memory_usage")}
    if stored.keys() != memories.keys():
        yield "memory_usage has other memories than memories"
    yield from (f"{i} has {row['hit_count']} hits" for i, row in stored.items() if row["hit_count"] < 1)


def _vectors(ultron, memories):
    for row in rows(ultron, "SELECT memory_id, account_id, memory_type, status FROM memory_vectors"):
        memory = memories[row["memory_id"]]
        for name in ("account_id", "status", "memory_type"):
            if row[name] != memory[name]:
                yield f"memory_vectors.{name} of {memory['content']!r} is {row[name]}"


def _members(ultron, memories):
    """Active memories with a vector are members of one cluster (the key says one), all others of none."""
    members = {row["memory_id"] for row in rows(ultron, "SELECT memory_id FROM cluster_members")}
    embedded = {row["memory_id"] for row in rows(ultron, "SELECT memory_id FROM memory_vectors")}
    active = {i for i, memory in memories.items() if memory["status"] == "active"}
    yield from (f"{memories[i]['content']!r} is in no cluster" for i in (active & embedded) - members)
    yield from (f"{memories[i]['content']!r} is not active and in a cluster" for i in members - active)
    yield from (f"{memories[i]['content']!r} has no vector and a cluster" for i in members - embedded)


def _centroids(ultron, memories):
    vectors = {}
    found = rows(
        ultron,
        "SELECT cm.cluster_id, cm.account_id, cm.memory_id, v.exact::text AS vector FROM cluster_members cm"
        " JOIN clusters c USING (cluster_id)"
        " JOIN memory_vectors v ON v.memory_id = cm.memory_id AND v.model_id = c.model_id",
    )
    for row in found:
        vectors.setdefault(row["cluster_id"], []).append(np.array(json.loads(row["vector"])))
        if row["account_id"] != memories[row["memory_id"]]["account_id"]:
            yield f"{row['memory_id']} is in a cluster of another account"
    for row in rows(ultron, "SELECT cluster_id, size, centroid::text AS centroid FROM clusters"):
        own = vectors.get(row["cluster_id"], [])
        if row["size"] != len(own) or not own:
            yield f"a cluster of {len(own)} says {row['size']}"
        elif not np.allclose(np.array(json.loads(row["centroid"])), np.mean(own, axis=0), atol=1e-4):
            yield "a centroid is not the mean of its members"


def _keys(ultron, memories):
    for row in rows(ultron, "SELECT account_id, key, memory_id FROM idempotency_keys"):
        memory = memories.get(row["memory_id"])
        if memory is None or memory["account_id"] != row["account_id"]:
            yield f"key {row['key']} points at no memory of its account"


def _orphans(ultron, memories):
    for table, column in (
        ("memory_sources", "memory_id"),
        ("memory_contributions", "memory_id"),
        ("merge_decisions", "memory_id"),
        ("memory_links", "from_id"),
        ("memory_links", "to_id"),
    ):
        for row in rows(ultron, f"SELECT account_id, {column} AS memory_id FROM {table}"):
            memory = memories.get(row["memory_id"])
            if memory is None or memory["account_id"] != row["account_id"]:
                yield f"{table} points at no memory of its account"
    parted = rows(
        ultron,
        "SELECT d.id FROM merge_decisions d LEFT JOIN memory_contributions c ON c.id = d.contribution_id"
        " WHERE d.undone_at IS NULL AND d.decision NOT IN ('archive', 'return')"
        " AND c.memory_id IS DISTINCT FROM d.memory_id",
    )
    yield from (f"decision {row['id']} is about the contribution of another memory" for row in parted)
    apart = rows(
        ultron,
        "SELECT c.id FROM memory_contributions c JOIN memory_sources s ON s.id = c.source_id"
        " WHERE s.memory_id <> c.memory_id",
    )
    yield from (f"contribution {row['id']} has the source of another memory" for row in apart)
    sourceless = rows(
        ultron,
        "SELECT content FROM memories m WHERE status <> 'archived'"
        " AND NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id)",
    )
    yield from (f"{row['content']!r} stands on a shelf without a source" for row in sourceless)


def _shelves(ultron, memories):
    """On the second shelf stands what only an agent said in one session, and nothing else."""
    told = {}
    for row in rows(
        ultron,
        "SELECT c.memory_id, c.trust, s.session_id, t.fingerprint FROM memory_contributions c"
        " JOIN memory_sources s ON s.id = c.source_id LEFT JOIN task_segments t ON t.id = s.segment_id",
    ):
        told.setdefault(row["memory_id"], []).append(row)
    verdicts = rows(ultron, "SELECT memory_id, body_sha256 FROM memory_verdicts")
    confirmed = {(row["memory_id"], row["body_sha256"]) for row in verdicts}
    words = ("content", "context", "resolution")
    edited = {
        row["memory_id"]
        for row in rows(ultron, "SELECT * FROM memory_versions")
        if any(row[name] != memories[row["memory_id"]][name] for name in words)
    }
    for memory_id, memory in memories.items():
        parts = told.get(memory_id, [])
        sessions, tasks = ({part[name] for part in parts} - {None} for name in ("session_id", "fingerprint"))
        alone = (
            (memory["trust"], memory["proof"]) == ("agent", "claimed")
            and not any(part["trust"] == "upload" for part in parts)
            and (memory_id, memory["body_sha256"]) not in confirmed
            and memory_id not in edited
        )
        if memory["status"] != "archived" and alone != (memory["status"] == "claimed"):
            yield f"{memory['content']!r} is {memory['status']}, its agent's word alone: {alone}"
        if alone and min(len(sessions), len(tasks)) > 1:
            yield f"{memory['content']!r} is claimed by {len(sessions)} sessions"
