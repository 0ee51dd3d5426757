-- name: candidates_vector
-- Nearest active memories that pass the filters, every row compared.
SELECT v.memory_id FROM memory_vectors v
JOIN memories m ON m.id = v.memory_id
JOIN memory_usage u ON u.memory_id = v.memory_id
WHERE v.model_id = %(model_id)s AND v.account_id = %(account_id)s AND v.status = %(status)s
    AND (%(types)s::text[] IS NULL OR v.memory_type = ANY(%(types)s))
    AND (%(tags)s::text[] IS NULL OR m.tags @> %(tags)s)
    AND (%(tiers)s::text[] IS NULL OR u.tier = ANY(%(tiers)s))
    AND (%(agent_id)s::text IS NULL OR m.agent_id = %(agent_id)s)
    AND (%(since)s::timestamptz IS NULL OR m.created_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR m.created_at < %(until)s)
ORDER BY (v.embedding <=> %(vector)s::halfvec) + 0, v.memory_id LIMIT %(candidates)s;

-- name: candidates_vector_indexed
-- The same through the model's HNSW index; {model} and {dimension} are literals.
SELECT v.memory_id FROM memory_vectors v
JOIN memories m ON m.id = v.memory_id
JOIN memory_usage u ON u.memory_id = v.memory_id
WHERE v.model_id = {model} AND v.account_id = %(account_id)s AND v.status = 'active'
    AND (%(types)s::text[] IS NULL OR v.memory_type = ANY(%(types)s))
    AND (%(tags)s::text[] IS NULL OR m.tags @> %(tags)s)
    AND (%(tiers)s::text[] IS NULL OR u.tier = ANY(%(tiers)s))
    AND (%(agent_id)s::text IS NULL OR m.agent_id = %(agent_id)s)
    AND (%(since)s::timestamptz IS NULL OR m.created_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR m.created_at < %(until)s)
ORDER BY v.embedding::halfvec({dimension}) <=> %(vector)s::halfvec({dimension}) LIMIT %(candidates)s;

-- name: candidates_lexical
-- Best memories by words that pass the filters: terms find them, weights score them.
SELECT s.memory_id FROM memory_search s
JOIN memories m ON m.id = s.memory_id
JOIN memory_usage u ON u.memory_id = s.memory_id
WHERE s.account_id = %(account_id)s AND s.status = %(status)s AND s.terms && %(terms)s::integer[]
    AND (%(types)s::text[] IS NULL OR s.memory_type = ANY(%(types)s))
    AND (%(tags)s::text[] IS NULL OR m.tags @> %(tags)s)
    AND (%(tiers)s::text[] IS NULL OR u.tier = ANY(%(tiers)s))
    AND (%(agent_id)s::text IS NULL OR m.agent_id = %(agent_id)s)
    AND (%(since)s::timestamptz IS NULL OR m.created_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR m.created_at < %(until)s)
ORDER BY s.weights <#> %(query)s::sparsevec, s.memory_id LIMIT %(candidates)s;

-- name: score
-- Both lanes' scores for the union of the candidates, with the full rows.
SELECT m.*, u.tier, u.hit_count, u.last_hit_at,
    (1 - (v.exact <=> %(vector)s::vector)) AS cosine, -(s.weights <#> %(query)s::sparsevec) AS bm25,
    ARRAY(SELECT t FROM unnest(%(terms)s::integer[]) AS t WHERE t = ANY(s.terms)) AS matched
FROM memories m
JOIN memory_usage u ON u.memory_id = m.id
JOIN memory_search s ON s.memory_id = m.id
LEFT JOIN memory_vectors v ON v.memory_id = m.id AND v.model_id = %(model_id)s
WHERE m.id = ANY(%(ids)s) AND m.account_id = %(account_id)s
ORDER BY m.id;
