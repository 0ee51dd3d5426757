-- name: lock_clusters
-- One writer of clusters and document frequencies; always taken after the types.
SELECT pg_advisory_xact_lock(hashtextextended('clusters:' || %(account_id)s, 0));

-- name: create_index
-- The HNSW index of one model; {name}, {model} and {dimension} are literals.
CREATE INDEX IF NOT EXISTS {name} ON memory_vectors
    USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) WITH (m = 16, ef_construction = 64)
    WHERE model_id = {model} AND status = 'active';

-- name: drop_index
-- Before many vectors are written at once.
DROP INDEX IF EXISTS ultron.{name};

-- name: model_is_ready
-- One row when the embedder is known with these thresholds and has its index.
SELECT 1 AS ready FROM embedding_models
WHERE account_id = %(account_id)s AND model_id = %(model_id)s AND to_regclass(%(index)s) IS NOT NULL
    AND (merge_threshold, soft_threshold, cluster_threshold)
        = (%(merge)s::real, %(soft)s::real, %(cluster)s::real);

-- name: register_model
-- The embedder in use, with its thresholds.
INSERT INTO embedding_models AS e (account_id, model_id, dimension, merge_threshold, soft_threshold,
    cluster_threshold, is_current, created_at)
VALUES (%(account_id)s, %(model_id)s, %(dimension)s, %(merge)s, %(soft)s, %(cluster)s,
    NOT EXISTS (SELECT 1 FROM embedding_models WHERE account_id = %(account_id)s AND is_current), %(now)s)
ON CONFLICT (account_id, model_id) DO UPDATE SET merge_threshold = excluded.merge_threshold,
    soft_threshold = excluded.soft_threshold, cluster_threshold = excluded.cluster_threshold
WHERE (e.merge_threshold, e.soft_threshold, e.cluster_threshold)
    IS DISTINCT FROM (excluded.merge_threshold, excluded.soft_threshold, excluded.cluster_threshold);

-- name: insert_memory
-- A new memory.
INSERT INTO memories (id, account_id, agent_id, memory_type, content, context, resolution, tags, summary_l0,
    overview_l1, confidence, extractor, redaction_version, body_sha256, needs_model, created_at, updated_at)
VALUES (%(id)s, %(account_id)s, %(agent_id)s, %(memory_type)s, %(content)s, %(context)s, %(resolution)s, %(tags)s,
    %(summary_l0)s, %(overview_l1)s, %(confidence)s, %(extractor)s, %(redaction_version)s, %(body_sha256)s,
    %(needs_model)s, %(now)s, %(now)s);

-- name: insert_usage
-- Its counters: one hit for having been contributed.
INSERT INTO memory_usage (memory_id, account_id, tier, hit_count, last_hit_at)
VALUES (%(id)s, %(account_id)s, 'WARM', 1, %(now)s);

-- name: upsert_search
-- Its lexical row.
INSERT INTO memory_search (memory_id, account_id, memory_type, status, terms, weights, length, average_length)
VALUES (%(id)s, %(account_id)s, %(memory_type)s, 'active', %(terms)s, %(weights)s, %(length)s, %(average_length)s)
ON CONFLICT (memory_id) DO UPDATE SET terms = excluded.terms, weights = excluded.weights,
    length = excluded.length, average_length = excluded.average_length, memory_type = excluded.memory_type;

-- name: upsert_vector
-- Its vector for one model; type and status are those of the memory. A parameter has the type of its first cast:
-- `::halfvec` first would round both.
INSERT INTO memory_vectors (memory_id, model_id, account_id, memory_type, status, embedding, exact)
SELECT m.id, %(model_id)s, m.account_id, m.memory_type, m.status, %(vector)s::vector::halfvec, %(vector)s::vector
FROM memories m WHERE m.id = %(id)s
ON CONFLICT (memory_id, model_id) DO UPDATE SET embedding = excluded.embedding, exact = excluded.exact,
    version = excluded.version;

-- name: insert_decision
-- What was decided about it, and why.
INSERT INTO merge_decisions (id, account_id, memory_id, other_id, contribution_id, decision, reason, score, threshold,
    model_id, body_before, decided_by, created_at)
VALUES (%(id)s, %(account_id)s, %(memory_id)s, %(other_id)s, %(contribution_id)s, %(decision)s, %(reason)s, %(score)s,
    %(threshold)s, %(model_id)s, %(body_before)s, %(decided_by)s, %(now)s);

-- name: insert_link
-- Two memories that are near but not the same.
INSERT INTO memory_links (account_id, from_id, to_id, kind, score, reason, created_at)
VALUES (%(account_id)s, %(from_id)s, %(to_id)s, %(kind)s, %(score)s, %(reason)s, %(now)s)
ON CONFLICT DO NOTHING;

-- name: hit
-- Memories that were read or found; rows are locked in order of id, so that two searches never deadlock.
WITH wanted AS (
    SELECT memory_id FROM memory_usage WHERE memory_id = ANY(%(ids)s) AND account_id = %(account_id)s
    ORDER BY memory_id FOR UPDATE
)
UPDATE memory_usage u SET hit_count = hit_count + %(hits)s, last_hit_at = greatest(last_hit_at, %(now)s)
FROM wanted WHERE u.memory_id = wanted.memory_id;

-- name: update_tags
-- More tags, the same body.
UPDATE memories SET tags = %(tags)s, updated_at = %(now)s WHERE id = %(id)s AND tags <> %(tags)s;

-- name: update_body
-- Another body, with everything made from it.
UPDATE memories SET content = %(content)s, context = %(context)s, resolution = %(resolution)s, tags = %(tags)s,
    summary_l0 = %(summary_l0)s, overview_l1 = %(overview_l1)s, body_sha256 = %(body_sha256)s,
    needs_model = %(needs_model)s, updated_at = %(now)s
WHERE id = %(id)s;

-- name: set_status
-- Archive or re-activate, in every table that search reads.
WITH changed AS (
    UPDATE memories SET status = %(status)s, archive_reason = %(reason)s, updated_at = %(now)s
    WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s AND status <> %(status)s
    RETURNING id
), searched AS (
    UPDATE memory_search SET status = %(status)s WHERE memory_id IN (SELECT id FROM changed)
), embedded AS (
    UPDATE memory_vectors SET status = %(status)s, version = nextval('memory_versions')
    WHERE memory_id IN (SELECT id FROM changed)
)
SELECT id FROM changed;

-- name: orphans
-- Which of these active memories have no source left.
SELECT m.id FROM memories m
WHERE m.id = ANY(%(ids)s) AND m.status = 'active'
    AND NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id);

-- name: retract_sources
-- Sources of a segment for memories that it gives no more.
DELETE FROM memory_sources
WHERE segment_id = %(segment_id)s AND account_id = %(account_id)s AND NOT memory_id = ANY(%(kept)s)
RETURNING memory_id;

-- name: tagged
-- Active memories that carry a tag.
SELECT id FROM memories WHERE account_id = %(account_id)s AND status = 'active' AND tags @> ARRAY[%(tag)s];

-- name: by_ids
-- Full memories in the order asked for.
SELECT m.*, u.tier, u.hit_count, u.last_hit_at
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted(id, position)
JOIN memories m ON m.id = wanted.id AND m.account_id = %(account_id)s
JOIN memory_usage u ON u.memory_id = m.id
ORDER BY wanted.position;

-- name: sources
-- Where a memory comes from, in order of place.
SELECT ms.*, s.session_file, s.partition_key, s.generation, t.topic
FROM memory_sources ms
LEFT JOIN sessions s ON s.id = ms.session_id
LEFT JOIN task_segments t ON t.id = ms.segment_id
WHERE ms.memory_id = %(id)s AND ms.account_id = %(account_id)s
ORDER BY s.partition_key, ms.start_line, ms.created_at, ms.id;

-- name: delete
-- A memory with everything made from it.
DELETE FROM memories WHERE id = %(id)s AND account_id = %(account_id)s;

-- name: decision
-- One decision that can still be undone.
SELECT * FROM merge_decisions WHERE id = %(id)s AND account_id = %(account_id)s;

-- name: contribution
-- One contribution.
SELECT * FROM memory_contributions WHERE id = %(id)s AND account_id = %(account_id)s;

-- name: move_contribution
-- A contribution that is a memory of its own again, with the decision by which it came, if it began as one.
WITH moved_decisions AS (
    UPDATE merge_decisions SET memory_id = %(memory_id)s
    WHERE contribution_id = %(id)s AND account_id = %(account_id)s AND decision <> 'merge'
)
UPDATE memory_contributions SET memory_id = %(memory_id)s, merged = false, pending_merge = false WHERE id = %(id)s;

-- name: move_source
-- Its source goes with it.
UPDATE memory_sources SET memory_id = %(memory_id)s WHERE id = %(id)s;

-- name: undone
-- A decision that does not hold any more.
UPDATE merge_decisions SET undone_at = %(now)s WHERE id = %(id)s AND undone_at IS NULL;

-- name: stats
-- Memories by tier, type and status.
SELECT m.status, m.memory_type, u.tier, count(*) AS count
FROM memories m JOIN memory_usage u ON u.memory_id = m.id
WHERE m.account_id = %(account_id)s GROUP BY 1, 2, 3;

-- name: lexical_stats
-- Documents and terms so far.
SELECT documents, total_length FROM lexical_stats WHERE account_id = %(account_id)s AND scope = %(scope)s;

-- name: count_memories
-- The lexical rows of some memories more (sign 1) or less (-1) in the frequencies.
INSERT INTO lexical_df AS d (account_id, scope, term, df)
SELECT %(account_id)s, 'memory', term, %(sign)s * count(*) FROM memory_search s, unnest(s.terms) AS term
WHERE s.memory_id = ANY(%(ids)s) AND s.account_id = %(account_id)s GROUP BY term ORDER BY term
ON CONFLICT (account_id, scope, term) DO UPDATE SET df = greatest(d.df + excluded.df, 0);

-- name: count_memory_lengths
-- Their number and length likewise.
INSERT INTO lexical_stats AS t (account_id, scope, documents, total_length)
SELECT %(account_id)s, 'memory', %(sign)s * count(*), %(sign)s * coalesce(sum(length), 0) FROM memory_search
WHERE memory_id = ANY(%(ids)s) AND account_id = %(account_id)s
ON CONFLICT (account_id, scope) DO UPDATE SET documents = greatest(t.documents + excluded.documents, 0),
    total_length = greatest(t.total_length + excluded.total_length, 0);

-- name: forget_words
-- Words that these memories alone held, once they are no more counted: not even their numbers stay.
DELETE FROM lexical_df d USING memory_search s
WHERE s.memory_id = ANY(%(ids)s) AND s.account_id = %(account_id)s AND d.account_id = s.account_id
    AND d.scope = 'memory' AND d.term = ANY(s.terms) AND d.df = 0;

-- name: without_vector
-- Active memories that the embedder of this model has not seen.
SELECT m.id, m.memory_type, m.content, m.context, m.resolution FROM memories m
WHERE m.account_id = %(account_id)s AND m.status = 'active'
    AND NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id AND v.model_id = %(model_id)s)
ORDER BY m.created_at, m.id LIMIT %(limit)s;

-- name: needing_model
-- Memories that were written by rules while a model was set.
SELECT id FROM memories
WHERE account_id = %(account_id)s AND status = 'active' AND needs_model ORDER BY created_at, id LIMIT %(limit)s;

-- name: pending_contributions
-- Merges whose facts are not in the body yet.
SELECT * FROM memory_contributions WHERE account_id = %(account_id)s AND pending_merge
ORDER BY contributed_at, id LIMIT %(limit)s;

-- name: contribution_merged
-- Its facts are in the body.
UPDATE memory_contributions SET pending_merge = false
WHERE id = %(id)s AND memory_id = %(memory_id)s AND pending_merge;

-- name: model_done
-- The model has seen it.
UPDATE memories SET memory_type = %(memory_type)s, summary_l0 = %(summary_l0)s, overview_l1 = %(overview_l1)s,
    body_sha256 = %(body_sha256)s, needs_model = false, updated_at = %(now)s
WHERE id = %(id)s;

-- name: retype
-- The type is copied where search reads it.
WITH searched AS (UPDATE memory_search SET memory_type = %(memory_type)s WHERE memory_id = %(id)s)
UPDATE memory_vectors SET memory_type = %(memory_type)s, version = nextval('memory_versions') WHERE memory_id = %(id)s;

-- name: forget_bodies
-- A body edited by hand stays: no merge from before can be undone to the words it had then.
UPDATE merge_decisions SET body_before = NULL
WHERE account_id = %(account_id)s AND memory_id = %(memory_id)s AND body_before IS NOT NULL;

-- name: later_merges
-- Merges into the same memory after this one that still hold.
SELECT d.id FROM merge_decisions d JOIN merge_decisions own ON own.id = %(id)s
WHERE d.memory_id = %(memory_id)s AND d.decision = 'merge' AND d.undone_at IS NULL AND d.id <> own.id
    AND d.created_at > own.created_at;

-- name: reassign
-- Everything that came to one memory goes to another, whose body was never one of those from before.
WITH moved_keys AS (UPDATE idempotency_keys SET memory_id = %(to_id)s WHERE memory_id = %(from_id)s),
    moved_sources AS (UPDATE memory_sources SET memory_id = %(to_id)s WHERE memory_id = %(from_id)s),
    moved_parts AS (
        UPDATE memory_contributions SET memory_id = %(to_id)s, merged = true, pending_merge = %(pending)s
        WHERE memory_id = %(from_id)s
    )
UPDATE merge_decisions SET memory_id = %(to_id)s, body_before = NULL WHERE memory_id = %(from_id)s;

-- name: add_hits
-- The hits of a memory that was merged away.
UPDATE memory_usage SET hit_count = hit_count + %(hits)s, last_hit_at = greatest(last_hit_at, %(last_hit_at)s)
WHERE memory_id = %(id)s;

-- name: delete_vector
-- A vector that does not belong to the body any more; back-filling makes it anew.
DELETE FROM memory_vectors WHERE memory_id = %(id)s AND model_id = %(model_id)s;

-- name: first_contribution
-- What a memory was made of: not what was merged into it, be it of the same moment.
SELECT id FROM memory_contributions WHERE memory_id = %(id)s ORDER BY merged, contributed_at, id LIMIT 1;
