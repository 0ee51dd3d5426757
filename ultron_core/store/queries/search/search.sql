-- name: tune
-- For the statements that follow in the transaction: whether their plans serve any words, and how wide the walk through
-- the index is. At 100 it finds .998 of the ten nearest of 100,000 and .934 of a million; there 400 finds .985. A hit
-- lost in a crash of the server does no harm: the commit need not wait for the disk.
SELECT set_config('plan_cache_mode', %(plan)s, true), set_config('synchronous_commit', 'off', true),
    set_config('hnsw.ef_search',
        round(least(1000, 100 * greatest(1, documents / 1e5) ^ 0.6))::integer::text, true)
FROM (
    SELECT coalesce(max(documents), 0) AS documents FROM lexical_stats
    WHERE account_id = %(account_id)s AND scope = 'memory'
) corpus;

-- name: candidates
-- Both lanes and their union in one statement, each candidate with both scores. The places in braces take other queries
-- of this file: the filters, a count of what they leave (few rows are all compared, of many the index finds the
-- nearest), the vector lane; the status, a literal as partial indexes need; the limit, a literal so that a plan for any
-- words knows how few rows are found. OFFSET 0 keeps that plan at looking each of them up. Rare words of the query find
-- candidates (their frequencies add up to a budget), all of its words score them.
WITH corpus AS MATERIALIZED (
    SELECT coalesce(max(documents), 0) AS documents FROM lexical_stats
    WHERE account_id = %(account_id)s AND scope = 'memory'
), words AS MATERIALIZED (
    SELECT d.term, d.df,
        ln(1 + (c.documents - least(d.df, c.documents) + 0.5::float8) / (least(d.df, c.documents) + 0.5)) AS idf
    FROM lexical_df d CROSS JOIN corpus c
    WHERE d.account_id = %(account_id)s AND d.scope = 'memory' AND d.term = ANY(%(terms)s::integer[]) AND d.df > 0
), asked AS MATERIALIZED (
    SELECT ('{{' || string_agg(term || ':' || idf, ',' ORDER BY term) || '}}/1000000000')::sparsevec AS weights
    FROM words
), rare AS MATERIALIZED (
    SELECT array_agg(term) AS terms FROM (
        SELECT term, sum(df) OVER upward AS spent, row_number() OVER upward AS place
        FROM words WINDOW upward AS (ORDER BY df, term)
    ) ranked
    WHERE place <= 2 OR spent <= (SELECT greatest(500, least(5000, documents / 20)) FROM corpus)
), matching AS MATERIALIZED ({matching}
), near AS MATERIALIZED ({near}
), worded AS MATERIALIZED (
    SELECT c.memory_id FROM memory_search c
    WHERE c.account_id = %(account_id)s AND c.status = {status} AND c.terms && (SELECT terms FROM rare) {filters}
    ORDER BY c.weights <#> (SELECT weights FROM asked), c.memory_id LIMIT {limit}
), found AS (
    SELECT memory_id FROM near UNION SELECT memory_id FROM worded
)
SELECT f.memory_id AS id, u.tier, u.last_hit_at,
    (SELECT coalesce(summary_l0, left(content, 200)) FROM memories WHERE id = f.memory_id OFFSET 0) AS summary,
    (SELECT max(1 - (v.embedding <=> q.vector)) FROM unnest(%(vectors)b::halfvec[]) AS q(vector)) AS cosine,
    -(s.weights <#> (SELECT weights FROM asked)) AS bm25,
    (SELECT sum(w.idf) FROM words w WHERE w.term = ANY(%(plain)s::integer[]) AND w.term = ANY(s.terms)) AS held,
    (SELECT sum(w.idf) FROM words w WHERE w.term = ANY(%(plain)s::integer[])) AS asked,
    (SELECT cardinality(%(plain)s::integer[]) - count(*) FROM words w WHERE w.term = ANY(%(plain)s::integer[])) AS unknown,
    (SELECT documents FROM corpus) AS documents,
    EXISTS (
        SELECT 1 FROM memory_links l JOIN memories later ON later.id = l.from_id AND later.status = 'active'
        WHERE l.to_id = f.memory_id AND l.kind = 'supersedes'
    ) AS superseded
FROM found f
CROSS JOIN LATERAL (SELECT tier, last_hit_at FROM memory_usage WHERE memory_id = f.memory_id OFFSET 0) u
CROSS JOIN LATERAL (SELECT terms, weights FROM memory_search WHERE memory_id = f.memory_id OFFSET 0) s
LEFT JOIN LATERAL (
    SELECT embedding FROM memory_vectors WHERE memory_id = f.memory_id AND model_id = %(model_id)s OFFSET 0
) v ON true;

-- name: matching_all
-- Without a filter the corpus has been counted already.
SELECT documents < greatest(%(exact_below)s, sqrt(140.0 * documents)) AS few FROM corpus;

-- name: matching_filtered
-- Rows that pass the filters, counted up to where the index is the faster way: exact costs 1.2 us a row, the index
-- 170 us divided by the share of rows that pass.
SELECT count(*) < (SELECT greatest(%(exact_below)s, sqrt(140.0 * documents))::bigint FROM corpus) AS few FROM (
    SELECT 1 FROM memory_vectors c
    WHERE c.model_id = %(model_id)s AND c.account_id = %(account_id)s AND c.status = {status} {filters}
    LIMIT (SELECT greatest(%(exact_below)s, sqrt(140.0 * documents))::bigint FROM corpus)
) counted;

-- name: near_indexed
-- The nearest of each vector. Model, dimension and status are literals, as the index of the shelf needs.
SELECT n.memory_id FROM unnest(%(vectors)b::halfvec[]) AS q(vector) CROSS JOIN LATERAL (
    (
        SELECT c.memory_id FROM memory_vectors c
        WHERE c.model_id = %(model_id)s AND c.account_id = %(account_id)s AND c.status = {status} {filters}
            AND (SELECT few FROM matching)
        ORDER BY (c.embedding <=> q.vector) + 0, c.memory_id LIMIT {limit}
    ) UNION ALL (
        SELECT c.memory_id FROM memory_vectors c
        WHERE c.model_id = {model} AND c.account_id = %(account_id)s AND c.status = {status} {filters}
            AND NOT (SELECT few FROM matching)
        ORDER BY c.embedding::halfvec({dimension}) <=> q.vector::halfvec({dimension}) LIMIT {limit}
    )
) n;

-- name: near_archived
-- Archived memories are in no index: every row is compared.
SELECT n.memory_id FROM unnest(%(vectors)b::halfvec[]) AS q(vector) CROSS JOIN LATERAL (
    SELECT c.memory_id FROM memory_vectors c
    WHERE c.model_id = %(model_id)s AND c.account_id = %(account_id)s AND c.status = {status} {filters}
    ORDER BY (c.embedding <=> q.vector) + 0, c.memory_id LIMIT {limit}
) n;

-- name: filter_types
-- Of one of these types.
AND c.memory_type = ANY(%(types)s::text[]);

-- name: filter_tags
-- With all of these tags.
AND EXISTS (
    SELECT 1 FROM memories m
    WHERE m.id = c.memory_id AND m.account_id = %(account_id)s AND m.tags @> %(tags)s::text[]
);

-- name: filter_tiers
-- In one of these tiers.
AND EXISTS (SELECT 1 FROM memory_usage u WHERE u.memory_id = c.memory_id AND u.tier = ANY(%(tiers)s::text[]));

-- name: filter_agent_id
-- That this agent contributed to, and HOT ones, which are for every agent of the account.
AND (EXISTS (
    SELECT 1 FROM memory_contributions part
    WHERE part.memory_id = c.memory_id AND part.account_id = %(account_id)s AND part.agent_id = %(agent_id)s
) OR EXISTS (SELECT 1 FROM memory_usage u WHERE u.memory_id = c.memory_id AND u.tier = 'HOT'));

-- name: filter_proof
-- Borne out so; what its owner confirmed is a person's.
AND EXISTS (
    SELECT 1 FROM memories m LEFT JOIN memory_verdicts v
        ON v.memory_id = m.id AND v.verdict = 'confirmed' AND v.body_sha256 = m.body_sha256
    WHERE m.id = c.memory_id AND m.account_id = %(account_id)s
        AND CASE WHEN v.memory_id IS NULL THEN m.proof ELSE 'person' END = ANY(%(proof)s::text[])
);

-- name: filter_project
-- That a session of this project gave, or an upload for it.
AND EXISTS (
    SELECT 1 FROM memory_sources p LEFT JOIN sessions e ON e.id = p.session_id
    WHERE p.memory_id = c.memory_id AND coalesce(e.project, p.project) = %(project)s
);

-- name: filter_since
-- Stored at this time or later.
AND EXISTS (SELECT 1 FROM memories m WHERE m.id = c.memory_id AND m.created_at >= %(since)s::timestamptz);

-- name: filter_until
-- Stored before this time.
AND EXISTS (SELECT 1 FROM memories m WHERE m.id = c.memory_id AND m.created_at < %(until)s::timestamptz);
