-- name: current
-- The model that the account's vectors are of.
SELECT model_id, dimension FROM embedding_models WHERE account_id = %(account_id)s AND is_current;

-- name: all
-- Models that the account has vectors of, the one in use first.
SELECT model_id, dimension, is_current, wanted_since, keep FROM embedding_models
WHERE account_id = %(account_id)s ORDER BY is_current DESC, created_at, model_id;

-- name: counts
-- Memories and windows with a vector of a model, of all.
SELECT (SELECT count(*) FROM memories WHERE account_id = %(account_id)s) AS memories,
    (SELECT count(*) FROM memory_vectors WHERE account_id = %(account_id)s AND model_id = %(model_id)s) AS embedded,
    (SELECT count(*) FROM message_windows WHERE account_id = %(account_id)s) AS windows,
    (SELECT count(*) FROM message_windows WHERE account_id = %(account_id)s AND model_id = %(model_id)s)
        AS windows_embedded;

-- name: forget_wanted
-- Any other model is no longer wanted.
UPDATE embedding_models SET wanted_since = NULL
WHERE account_id = %(account_id)s AND model_id <> %(model_id)s AND wanted_since IS NOT NULL;

-- name: want
-- The model to go to, with its own thresholds; a re-embedding that was interrupted keeps its beginning.
INSERT INTO embedding_models AS e (account_id, model_id, dimension, merge_threshold, soft_threshold,
    cluster_threshold, is_current, wanted_since, created_at)
VALUES (%(account_id)s, %(model_id)s, %(dimension)s, %(merge)s, %(soft)s, %(cluster)s, false, %(now)s, %(now)s)
ON CONFLICT (account_id, model_id) DO UPDATE SET wanted_since = coalesce(e.wanted_since, excluded.wanted_since),
    keep = false, merge_threshold = excluded.merge_threshold, soft_threshold = excluded.soft_threshold,
    cluster_threshold = excluded.cluster_threshold;

-- name: missing
-- The next memories after an id without a vector of a model that it has not refused, with the words to embed.
SELECT m.id, m.memory_type, m.content, m.context, m.resolution FROM memories m
WHERE m.account_id = %(account_id)s AND (%(after)s::uuid IS NULL OR m.id > %(after)s)
    AND NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id AND v.model_id = %(model_id)s)
    AND NOT m.id = ANY(%(refused)s::uuid[])
ORDER BY m.id LIMIT %(limit)s;

-- name: add_vectors
-- Vectors of another model, unless the words changed meanwhile; a row that is being written just now comes later.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(contents)s::text[], %(contexts)s::text[], %(resolutions)s::text[],
        %(vectors)s::vector[]) AS g(id, content, context, resolution, vector)
), unchanged AS (
    SELECT m.id, m.account_id, m.memory_type, m.status, g.vector FROM memories m JOIN given g USING (id)
    WHERE m.account_id = %(account_id)s
        AND (m.content, m.context, m.resolution) = (g.content, g.context, g.resolution)
    ORDER BY m.id FOR SHARE OF m SKIP LOCKED
)
INSERT INTO memory_vectors (memory_id, model_id, account_id, memory_type, status, embedding, exact)
SELECT id, %(model_id)s, account_id, memory_type, status, vector::halfvec, vector FROM unchanged
ON CONFLICT (memory_id, model_id) DO NOTHING;

-- name: count_missing
-- How many memories have no vector of a model that has not refused them.
SELECT count(*) AS count FROM memories m WHERE m.account_id = %(account_id)s
    AND NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id AND v.model_id = %(model_id)s)
    AND NOT m.id = ANY(%(refused)s::uuid[]);

-- name: count_all
-- How many memories there are.
SELECT count(*) AS count FROM memories WHERE account_id = %(account_id)s;

-- name: index_state
-- Whether an index is there, and usable: a build that was interrupted leaves one that is not.
SELECT i.indisvalid AS valid FROM pg_index i WHERE i.indexrelid = to_regclass(%(name)s);

-- name: build_index
-- The HNSW index of one model and shelf; {concurrently} lets others write meanwhile, the rest are literals.
CREATE INDEX {concurrently} IF NOT EXISTS {name} ON memory_vectors
    USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) WITH (m = 16, ef_construction = 64)
    WHERE model_id = {model} AND status = {status};

-- name: drop_index
-- An index that no account needs any more, that was left half built, or that is faster built again than extended.
DROP INDEX {concurrently} IF EXISTS {name};

-- name: unused_indexes
-- HNSW indexes, of memories and of windows, that hold no row and whose model no account has in use or goes to. The model
-- is read from the index's condition, `model_id = '...'::text`: nothing else knows one that is forgotten.
SELECT i.relname AS name
FROM pg_index x
JOIN pg_class i ON i.oid = x.indexrelid
JOIN pg_class t ON t.oid = x.indrelid AND t.relnamespace = 'ultron'::regnamespace
CROSS JOIN LATERAL (SELECT replace(substring(pg_get_expr(x.indpred, x.indrelid)
    FROM 'model_id = ''((?:[^'']|'''')*)'''), '''''', '''') AS model_id) m
WHERE starts_with(i.relname, t.relname || '_hnsw_') AND m.model_id <> %(model_id)s
    AND NOT EXISTS (SELECT FROM embedding_models e WHERE e.model_id = m.model_id
        AND (e.is_current OR e.wanted_since IS NOT NULL))
    AND CASE t.relname
        WHEN 'memory_vectors' THEN NOT EXISTS (SELECT FROM memory_vectors v WHERE v.model_id = m.model_id)
        WHEN 'message_windows' THEN NOT EXISTS (SELECT FROM message_windows w WHERE w.model_id = m.model_id)
        ELSE false END;

-- name: unset_current
-- No model is in use; in the transaction that sets the next one.
UPDATE embedding_models SET is_current = false WHERE account_id = %(account_id)s AND is_current;

-- name: set_current
-- From here on this model is the one in use.
UPDATE embedding_models SET is_current = true, wanted_since = NULL
WHERE account_id = %(account_id)s AND model_id = %(model_id)s;

-- name: move_clusters
-- The same groups with centroids of another model, until they are rebuilt.
UPDATE clusters c SET model_id = %(model_id)s, centroid = s.centroid, checked_size = NULL, updated_at = %(now)s
FROM (
    SELECT cm.cluster_id, avg(v.exact) AS centroid FROM cluster_members cm
    JOIN memory_vectors v ON v.memory_id = cm.memory_id AND v.model_id = %(model_id)s
    WHERE cm.account_id = %(account_id)s GROUP BY 1
) s WHERE c.cluster_id = s.cluster_id AND c.account_id = %(account_id)s AND c.model_id <> %(model_id)s;

-- name: dissolve_strays
-- Clusters of another model than the one in use, opened by writers that had not heard of the switch.
DELETE FROM clusters WHERE account_id = %(account_id)s AND model_id <> %(model_id)s
    AND EXISTS (SELECT 1 FROM embedding_models e
        WHERE e.account_id = %(account_id)s AND e.model_id = %(model_id)s AND e.is_current);

-- name: delete_vectors
-- Some of the vectors of a model that is not in use.
DELETE FROM memory_vectors v WHERE (v.memory_id, v.model_id) IN (
    SELECT memory_id, model_id FROM memory_vectors
    WHERE account_id = %(account_id)s AND model_id = %(model_id)s LIMIT %(limit)s
);

-- name: in_use_elsewhere
-- Whether any account still has vectors of a model: its index serves all of them.
SELECT EXISTS (SELECT 1 FROM memory_vectors WHERE model_id = %(model_id)s) AS found;

-- name: keep
-- Its vectors stay, unused.
UPDATE embedding_models SET keep = true WHERE account_id = %(account_id)s AND model_id = %(model_id)s;

-- name: forget
-- A model without vectors.
DELETE FROM embedding_models WHERE account_id = %(account_id)s AND model_id = %(model_id)s AND NOT is_current;

-- name: try_lock
-- One re-embedding an account at a time; let go with the connection.
SELECT pg_try_advisory_lock(hashtextextended('reembed:' || %(account_id)s, 0)) AS got;

-- name: model_is_ready
-- One row when the embedder is known with these thresholds and has its indexes.
SELECT 1 AS ready FROM embedding_models
WHERE account_id = %(account_id)s AND model_id = %(model_id)s AND NOT EXISTS (SELECT FROM unnest(%(indexes)s::text[]) AS i(name) WHERE to_regclass(i.name) IS NULL)
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
