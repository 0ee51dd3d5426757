"""Who writes each table: a short list of named queries, and no second form of any of them for a single row."""

import re
from collections import Counter, defaultdict
from pathlib import PurePath

import pytest

from ultron_core.store.queries import families, load_queries
from ultron_core.store.registry import CARRIED, ERASURE
from ultron_core.store.tables.redaction import PLACES

_WRITES = re.compile(
    r"\b(?:(INSERT) INTO|(UPDATE)|(DELETE) FROM|(COPY))\s+(?:ultron\.)?([a-z_]+)(?=[\s(])", re.IGNORECASE
)
#: tables of a connection alone, and the server's own
TEMPORARY = {"tier_work", "pg_statistic"}

#: every query that inserts, updates or deletes rows of a table; redaction.write, which has a place for the table's
#: name, is counted for each table that it is used for
WRITERS = {
    "memories": {
        *(
            "memories.insert_memories",
            "memories.update_memories",
            "memories.update_tags",
            "memories.update_backings",
            "memories.settle",
            "origins.given_again",
            "memories.set_status",
            "verdicts.archived_as_junk",
            "memories.shelve",
        ),
        *(
            "memories.mark_redacted",
            "memories.delete",
            "memories.tried",
            "memories.vector_refused",
            "erase.take_over",
        ),
    },
    "memory_usage": {
        "memories.insert_memories",
        "memories.add_hits",
        "memories.set_status",
        "tiers.set_tiers",
    },
    "memory_search": {
        *("lanes.upsert_search", "memories.set_status", "memories.retype", "reweight.reweigh"),
    },
    "memory_vectors": {
        # add_vectors is re-embedding: it skips rows that are being written, and never replaces a vector
        *("lanes.upsert_vectors", "embeddings.add_vectors", "embeddings.delete_vectors"),
        *("memories.set_status", "memories.retype"),
    },
    "lexical_df": {
        *("lanes.count_words", "lanes.forget_words", "tiers.repair_counts"),
        *("windows.insert", "windows.delete", "windows.recount"),
    },
    "lexical_stats": {
        *("lanes.count_words", "tiers.repair_counts", "windows.insert", "windows.delete", "windows.recount"),
    },
    "memory_sources": {
        *("origins.insert_origins", "origins.hand_over", "origins.split_off", "origins.retract_sources"),
        *("segments.move_sources", "redaction.write", "origins.given_again", "origins.purge_words"),
        *("erase.retract_sources", "erase.move_parts"),
    },
    "memory_contributions": {
        *("origins.insert_origins", "origins.hand_over", "origins.split_off", "origins.contribution_merged"),
        *("erase.retract_parts", "erase.move_parts", "redaction.write", "origins.contribution_tried"),
        *("origins.given_again", "origins.purge_words"),
    },
    "merge_decisions": {
        *("origins.insert_origins", "origins.hand_over", "origins.split_off", "origins.undone"),
        *("origins.forget_bodies", "erase.forget_history", "redaction.write", "origins.purge_words"),
        *("memories.set_status", "erase.move_parts"),
    },
    "memory_links": {
        *("origins.insert_origins", "erase.forget_history", "redaction.write", "origins.purge_words"),
    },
    "idempotency_keys": {"origins.insert_origins", "origins.hand_over"},
    "embedding_models": {
        *(
            "embeddings.register_model",
            "embeddings.want",
            "embeddings.forget_wanted",
            "embeddings.unset_current",
        ),
        *("embeddings.set_current", "embeddings.keep", "embeddings.forget"),
    },
    "clusters": {
        *(
            "clusters.insert",
            "clusters.move",
            "clusters.refresh",
            "clusters.delete_empty",
            "clusters.set_topics",
        ),
        *("clusters.mark_crystallized", "clusters.delete_all", "clusters.unchecked", "clusters.checked"),
        *("embeddings.move_clusters", "embeddings.dissolve_strays", "redaction.write"),
    },
    "cluster_members": {"clusters.join", "clusters.leave", "clusters.hand_over"},
    "cluster_changes": {"clusters.insert_change", "redaction.write"},
    "message_windows": {"windows.insert", "windows.delete", "erase.cut_again"},
    "memory_verdicts": {"verdicts.give", "verdicts.withdraw_junk", "erase.forget_verdicts"},
    "taste": {"verdicts.keep_taste"},
    "memory_versions": {
        *("origins.keep_version", "erase.forget_history", "redaction.write", "origins.purge_words"),
    },
    "api_keys": {"keys.insert", "keys.used", "keys.revoke"},
    "redaction_replays": {"redaction.reach", "redaction.restart", "erase.replays"},
    "erasures": {"erase.advance"},
    "erased_logs": {"erase.remember", "erase.lift"},
    "erasure_keys": {"erase.make_key"},
}
#: an import writes rows as they stood elsewhere, by a query with a place for the table's name
COPIED = dict.fromkeys(("memories", *CARRIED), "transfer.copy") | {"memory_links": "transfer.copy_links"}
for copied, query in COPIED.items():
    WRITERS[copied].add(query)
#: tables of the sessions' side, by how many queries write each: their lists belong to the stages
COUNTS = {
    "sessions": 20,
    "messages": 3,
    "task_segments": 17,
    "source_files": 6,
    "raw_blobs": 4,
    "raw_uploads": 7,
    "drops": 5,
    "llm_cache": 4,
    "llm_calls": 3,
    "leases": 4,
    "outcomes": 3,
    "sft_cleaned": 1,
    "sft_drafted": 1,
    "sft_exports": 1,
    "sft_export_rows": 1,
    "training_runs": 4,
    "training_rows": 1,
}
#: more than one query may insert into these
SEVERAL_INSERTS = {
    **dict.fromkeys(COPIED, "what is new here, and an import beside it"),
    "memory_vectors": "a writer of memories, and re-embedding beside it",
    "merge_decisions": "what an upload decided, and that one was archived or came back",
    "embedding_models": "the model in use, and the one wanted next",
    "lexical_df": "words of memories, words of windows, repair",
    "lexical_stats": "words of memories, words of windows, repair",
}


@pytest.fixture(scope="module")
def writers():
    """table -> {(query, verb)}."""
    found = defaultdict(set)
    for family in families():
        for name, statement in load_queries(family).items():
            for *verbs, table in _WRITES.findall(_uncommented(statement)):
                verb = next(filter(None, verbs)).upper()
                if table.lower() not in {"set", "of"} | TEMPORARY:
                    found[table].add((f"{PurePath(family).name}.{name}", verb))
    for table in PLACES:
        found[table].add(("redaction.write", "UPDATE"))
    for table in COPIED:
        found[table].add((COPIED[table], "INSERT"))
    for table, rule in ERASURE.items():
        if rule in ("file", "answer"):
            found[table].add(("erase.delete_rows", "DELETE"))
    return found


def _uncommented(statement):
    return re.sub(r"--.*", "", re.sub(r"\bFOR (NO KEY )?UPDATE\b|\bDO UPDATE\b", "", statement))


def test_the_writers_of_each_table_are_the_stated_ones(writers):
    for table, stated in WRITERS.items():
        assert {query for query, _ in writers[table]} == stated, table


def test_no_other_table_gains_writers_unseen(writers):
    assert set(writers) == set(WRITERS) | set(COUNTS)
    for table, count in COUNTS.items():
        names = {query for query, _ in writers[table]}
        assert len(names) <= count, (table, sorted(names))


def test_rows_are_inserted_by_one_query(writers):
    """A row is a set of one: there is no second form for it."""
    inserts = {
        table: sorted(query for query, verb in found if verb in {"INSERT", "COPY"})
        for table, found in writers.items()
    }
    several = {table for table, queries in inserts.items() if len(queries) > 1}
    assert several == set(SEVERAL_INSERTS)


def test_no_two_queries_differ_in_number_alone(writers):
    """`upsert_vector` beside `upsert_vectors`, in one file or in two."""
    names = Counter(name for family in families() for name in load_queries(family) if _writes(family, name))
    pairs = [name for name in names if f"{name}s" in names or f"{name[:-1]}ies" in names]
    assert pairs == []


def _writes(family, name):
    return bool(_WRITES.search(_uncommented(load_queries(family)[name])))


def test_the_writers_of_memories_take_sets():
    """No query of a memory's own tables names a single memory, but for the ones that move a single contribution."""
    single = [
        f"{family}.{name}"
        for family in ("memories/memories", "search/lanes")
        for name, statement in load_queries(family).items()
        if _WRITES.search(_uncommented(statement)) and "%(id)s" in statement
    ]
    assert single == []
