-- name: lock
-- One writer a type or slot of keys: held to the end of the transaction, taken in the order given before anything is
-- looked up.
SELECT pg_advisory_xact_lock(hashtextextended('memory:' || %(account_id)s || '/' || memory_type, 0))
FROM unnest(%(types)s::text[]) AS t(memory_type);

-- name: known_keys
-- What earlier requests with these keys made.
SELECT key, request_hash, memory_id FROM idempotency_keys
WHERE account_id = %(account_id)s AND key = ANY(%(keys)s);

-- name: same_sources
-- Words that these segments and texts have given already.
SELECT coalesce(s.segment_id, s.raw_upload_id) AS given_by, c.content, c.context, c.resolution, c.memory_id, m.status
FROM memory_sources s
JOIN memory_contributions c ON c.source_id = s.id
JOIN memories m ON m.id = c.memory_id
WHERE s.account_id = %(account_id)s AND (s.segment_id = ANY(%(given_by)s) OR s.raw_upload_id = ANY(%(given_by)s))
ORDER BY c.contributed_at, c.id;

-- name: same_words
-- Memories that have one of these bodies now (digest), and those that were given one of these contents once; archived
-- ones last.
SELECT m.body_sha256 AS digest, m.id, m.status, m.memory_type, NULL AS content, NULL AS context, NULL AS resolution,
    m.created_at, m.status = 'archived' AS is_out
FROM memories m
WHERE m.account_id = %(account_id)s AND m.memory_type = ANY(%(types)s) AND m.body_sha256 = ANY(%(digests)s)
UNION ALL
SELECT NULL, m.id, m.status, m.memory_type, c.content, c.context, c.resolution, m.created_at, m.status = 'archived'
FROM memory_contributions c JOIN memories m ON m.id = c.memory_id
WHERE c.account_id = %(account_id)s AND md5(c.content) = ANY(%(md5s)s)
ORDER BY is_out, digest NULLS LAST, status, created_at, id;

-- name: marks
-- The number of each type's latest vector, and how many memories there are.
SELECT t.memory_type, coalesce((
        SELECT max(v.version) FROM memory_vectors v
        WHERE v.model_id = %(model_id)s AND v.account_id = %(account_id)s AND v.memory_type = t.memory_type
            AND v.status <> 'archived'
    ), 0) AS mark, coalesce((
        SELECT documents FROM lexical_stats WHERE account_id = %(account_id)s AND scope = 'memory'
    ), 0) AS documents
FROM unnest(%(types)s::text[]) AS t(memory_type);

-- name: nearest_exact
-- The nearest memories of each vector's type on both shelves, every row compared.
SELECT q.position, n.memory_id, 1 - (n.exact <=> q.vector) AS cosine
FROM unnest(%(positions)s::integer[], %(types)s::text[], %(vectors)b::vector[]) AS q(position, memory_type, vector)
CROSS JOIN LATERAL (
    SELECT v.memory_id, v.exact FROM memory_vectors v
    WHERE v.model_id = %(model_id)s AND v.account_id = %(account_id)s AND v.memory_type = q.memory_type
        AND v.status <> 'archived'
    ORDER BY (v.embedding <=> q.vector::halfvec) + 0, v.memory_id LIMIT %(limit)s
) n;

-- name: nearest_indexed
-- The same of one shelf through its HNSW index; {model}, {dimension} and {status} are literals, as the index needs.
SELECT q.position, n.memory_id, 1 - (n.exact <=> q.vector) AS cosine
FROM unnest(%(positions)s::integer[], %(types)s::text[], %(vectors)b::vector[]) AS q(position, memory_type, vector)
CROSS JOIN LATERAL (
    SELECT v.memory_id, v.exact FROM memory_vectors v
    WHERE v.model_id = {model} AND v.account_id = %(account_id)s AND v.memory_type = q.memory_type
        AND v.status = {status}
    ORDER BY v.embedding::halfvec({dimension}) <=> q.vector::halfvec({dimension}) LIMIT %(limit)s
) n;

-- name: neighbours
-- The nearest active memories of any type, with float32 cosines for those of the vector's own.
SELECT q.position, n.memory_id, n.memory_type,
    CASE WHEN n.memory_type = q.memory_type THEN 1 - (n.exact <=> q.vector) ELSE 1 - n.distance END AS cosine
FROM unnest(%(positions)s::integer[], %(types)s::text[], %(vectors)b::vector[]) AS q(position, memory_type, vector)
CROSS JOIN LATERAL (
    SELECT v.memory_id, v.memory_type, v.exact,
        v.embedding::halfvec({dimension}) <=> q.vector::halfvec({dimension}) AS distance
    FROM memory_vectors v
    WHERE v.model_id = {model} AND v.account_id = %(account_id)s AND v.status = {status}
    ORDER BY v.embedding::halfvec({dimension}) <=> q.vector::halfvec({dimension}) LIMIT %(limit)s
) n;

-- name: newer
-- Vectors written since a mark of their type.
SELECT v.memory_id, v.memory_type, v.exact FROM unnest(%(types)s::text[], %(marks)s::bigint[]) AS q(memory_type, mark)
JOIN memory_vectors v ON v.memory_type = q.memory_type AND v.version > q.mark
WHERE v.model_id = %(model_id)s AND v.account_id = %(account_id)s AND v.status <> 'archived';

-- name: vector_count
-- Vectors of one model on both shelves: its indexes are for all accounts.
SELECT count(*) AS rows FROM memory_vectors
WHERE model_id = %(model_id)s AND status <> 'archived';
