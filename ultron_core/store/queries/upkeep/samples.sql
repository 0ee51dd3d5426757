-- name: memories
-- Some active memories, others for another salt, with the vector of a model where there is one.
SELECT m.id, m.memory_type, m.content, m.context, m.resolution, m.summary_l0, v.exact IS NOT NULL AS embedded
FROM memories m LEFT JOIN memory_vectors v ON v.memory_id = m.id AND v.model_id = %(model_id)s
WHERE m.account_id = %(account_id)s AND m.status = 'active'
ORDER BY md5(m.id::text || %(salt)s) LIMIT %(limit)s;

-- name: all_drafted
-- Every active memory that rests on a log, as the gate looks at it.
SELECT m.id, m.memory_type, m.content, m.context, m.resolution, m.confidence, m.cure, m.extractor
FROM memories m
WHERE m.account_id = %(account_id)s AND m.status = 'active'
    AND EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id AND s.kind = 'segment')
ORDER BY m.id;

-- name: nearest_of_type
-- Of each given memory the nearest other one of its type, if it is nearer than a cosine; every row is compared.
SELECT q.memory_id, n.memory_id AS other_id, n.cosine, a.content, a.context, a.resolution,
    b.content AS other_content, b.context AS other_context, b.resolution AS other_resolution
FROM memory_vectors q
CROSS JOIN LATERAL (
    SELECT c.memory_id, 1 - (c.embedding <=> q.embedding) AS cosine FROM memory_vectors c
    WHERE c.account_id = q.account_id AND c.model_id = q.model_id AND c.status = 'active'
        AND c.memory_type = q.memory_type AND c.memory_id <> q.memory_id
    ORDER BY (c.embedding <=> q.embedding) + 0 LIMIT 1
) n
JOIN memories a ON a.id = q.memory_id JOIN memories b ON b.id = n.memory_id
WHERE q.account_id = %(account_id)s AND q.model_id = %(model_id)s AND q.memory_id = ANY(%(ids)s) AND n.cosine > %(above)s
ORDER BY q.memory_id;

-- name: farthest_exact
-- How far the last of the nearest memories is from each given one when every row is compared, and how many there are.
SELECT q.memory_id, max(n.distance) AS distance, count(*) AS count FROM memory_vectors q
CROSS JOIN LATERAL (
    SELECT c.embedding <=> q.embedding AS distance FROM memory_vectors c
    WHERE c.account_id = q.account_id AND c.model_id = q.model_id AND c.status = 'active'
    ORDER BY (c.embedding <=> q.embedding) + 0 LIMIT %(nearest)s
) n
WHERE q.account_id = %(account_id)s AND q.model_id = %(model_id)s AND q.memory_id = ANY(%(ids)s)
GROUP BY 1;

-- name: index_only
-- For the statement that follows: it must walk through the vector index, also where comparing all rows were cheaper.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('enable_sort', 'off', true);

-- name: distances_by_index
-- The distances of the memories that the index finds for each given one; {model} and {dimension} are literals, as the
-- index of the model needs.
SELECT q.memory_id, n.distance FROM memory_vectors q
CROSS JOIN LATERAL (
    SELECT c.embedding::halfvec({dimension}) <=> q.embedding::halfvec({dimension}) AS distance FROM memory_vectors c
    WHERE c.model_id = {model} AND c.status = 'active' AND c.account_id = %(account_id)s
    ORDER BY c.embedding::halfvec({dimension}) <=> q.embedding::halfvec({dimension}) LIMIT %(nearest)s
) n
WHERE q.account_id = %(account_id)s AND q.model_id = {model} AND q.memory_id = ANY(%(ids)s);

-- name: newest_scores
-- Scores of the labels that were made last, newest first.
SELECT (quality_metrics -> 'summary' ->> 'overall_score')::float8 AS overall_score,
    (quality_metrics -> 'summary' ->> 'memory_score')::float8 AS memory_score, labeler
FROM task_segments WHERE account_id = %(account_id)s AND labeled = 1
ORDER BY updated_at DESC, id LIMIT %(limit)s;
