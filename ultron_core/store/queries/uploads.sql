-- name: lock
-- One writer a type: held to the end of the transaction, taken in the order given before anything is looked up.
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
-- Memories that have one of these bodies now (digest), and those that were given one of these contents once; active
-- ones first.
SELECT m.body_sha256 AS digest, m.id, m.status, m.memory_type, NULL AS content, NULL AS context, NULL AS resolution,
    m.created_at
FROM memories m
WHERE m.account_id = %(account_id)s AND m.memory_type = ANY(%(types)s) AND m.body_sha256 = ANY(%(digests)s)
UNION ALL
SELECT NULL, m.id, m.status, m.memory_type, c.content, c.context, c.resolution, m.created_at
FROM memory_contributions c JOIN memories m ON m.id = c.memory_id
WHERE c.account_id = %(account_id)s AND md5(c.content) = ANY(%(md5s)s)
ORDER BY status, digest NULLS LAST, created_at, id;

-- name: marks
-- The number of each type's latest vector, and how many memories there are.
SELECT t.memory_type, coalesce((
        SELECT max(v.version) FROM memory_vectors v
        WHERE v.model_id = %(model_id)s AND v.account_id = %(account_id)s AND v.memory_type = t.memory_type
            AND v.status = 'active'
    ), 0) AS mark, coalesce((
        SELECT documents FROM lexical_stats WHERE account_id = %(account_id)s AND scope = 'memory'
    ), 0) AS documents
FROM unnest(%(types)s::text[]) AS t(memory_type);

-- name: nearest_exact
-- The nearest active memories of each vector's type, every row compared.
SELECT q.position, n.memory_id, 1 - (n.exact <=> q.vector) AS cosine
FROM unnest(%(positions)s::integer[], %(types)s::text[], %(vectors)b::vector[]) AS q(position, memory_type, vector)
CROSS JOIN LATERAL (
    SELECT v.memory_id, v.exact FROM memory_vectors v
    WHERE v.model_id = %(model_id)s AND v.account_id = %(account_id)s AND v.memory_type = q.memory_type
        AND v.status = 'active'
    ORDER BY (v.embedding <=> q.vector::halfvec) + 0, v.memory_id LIMIT %(limit)s
) n;

-- name: nearest_indexed
-- The same through the model's HNSW index; {model} and {dimension} are literals, as the index needs.
SELECT q.position, n.memory_id, 1 - (n.exact <=> q.vector) AS cosine
FROM unnest(%(positions)s::integer[], %(types)s::text[], %(vectors)b::vector[]) AS q(position, memory_type, vector)
CROSS JOIN LATERAL (
    SELECT v.memory_id, v.exact FROM memory_vectors v
    WHERE v.model_id = {model} AND v.account_id = %(account_id)s AND v.memory_type = q.memory_type
        AND v.status = 'active'
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
    WHERE v.model_id = {model} AND v.account_id = %(account_id)s AND v.status = 'active'
    ORDER BY v.embedding::halfvec({dimension}) <=> q.vector::halfvec({dimension}) LIMIT %(limit)s
) n;

-- name: newer
-- Vectors written since a mark of their type.
SELECT v.memory_id, v.memory_type, v.exact FROM unnest(%(types)s::text[], %(marks)s::bigint[]) AS q(memory_type, mark)
JOIN memory_vectors v ON v.memory_type = q.memory_type AND v.version > q.mark
WHERE v.model_id = %(model_id)s AND v.account_id = %(account_id)s AND v.status = 'active';

-- name: insert_memories
-- New memories with their counters: one hit for having been contributed, one for each later part of the batch.
WITH given AS (
    SELECT * FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, agent_id text, memory_type text, content text,
        context text, resolution text, tags text[], summary_l0 text, overview_l1 text, confidence real,
        extractor text, body_sha256 text, needs_model boolean, hits bigint)
), stored AS (
    INSERT INTO memories (id, account_id, agent_id, memory_type, content, context, resolution, tags, summary_l0,
        overview_l1, confidence, extractor, redaction_version, body_sha256, needs_model, created_at, updated_at)
    SELECT id, %(account_id)s, agent_id, memory_type, content, context, resolution, tags, summary_l0, overview_l1,
        confidence, extractor, %(redaction_version)s, body_sha256, needs_model, %(now)s, %(now)s
    FROM given
)
INSERT INTO memory_usage (memory_id, account_id, tier, hit_count, last_hit_at)
SELECT id, %(account_id)s, 'WARM', hits, %(now)s FROM given;

-- name: update_memories
-- Other bodies or tags, with everything made from them.
UPDATE memories m SET content = g.content, context = g.context, resolution = g.resolution, tags = g.tags,
    summary_l0 = g.summary_l0, overview_l1 = g.overview_l1, body_sha256 = g.body_sha256,
    needs_model = g.needs_model, updated_at = %(now)s
FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, content text, context text, resolution text, tags text[],
    summary_l0 text, overview_l1 text, body_sha256 text, needs_model boolean)
WHERE m.id = g.id AND m.account_id = %(account_id)s;

-- name: update_tags
-- More tags, the same bodies.
UPDATE memories m SET tags = g.tags, updated_at = %(now)s
FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, tags text[])
WHERE m.id = g.id AND m.account_id = %(account_id)s AND m.tags <> g.tags;

-- name: add_hits
-- One hit a merge; rows are locked in order of id, so that no two writers deadlock.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(hits)s::bigint[]) AS g(memory_id, hits)
), wanted AS (
    SELECT u.memory_id, g.hits FROM memory_usage u JOIN given g USING (memory_id)
    WHERE u.account_id = %(account_id)s ORDER BY u.memory_id FOR UPDATE OF u
)
UPDATE memory_usage u SET hit_count = hit_count + wanted.hits, last_hit_at = greatest(last_hit_at, %(now)s)
FROM wanted WHERE u.memory_id = wanted.memory_id;

-- name: upsert_search
-- Lexical rows of new and changed memories.
INSERT INTO memory_search (memory_id, account_id, memory_type, status, terms, weights, length, average_length)
SELECT g.id, %(account_id)s, g.memory_type, 'active', g.terms, g.weights, g.length, %(average_length)s
FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, memory_type text, terms integer[], weights sparsevec, length integer)
ON CONFLICT (memory_id) DO UPDATE SET terms = excluded.terms, weights = excluded.weights,
    length = excluded.length, average_length = excluded.average_length, memory_type = excluded.memory_type;

-- name: upsert_vectors
-- Their vectors for one model. A parameter has the type of its first cast: `::halfvec` first would round both.
INSERT INTO memory_vectors (memory_id, model_id, account_id, memory_type, status, embedding, exact)
SELECT g.id, %(model_id)s, %(account_id)s, g.memory_type, 'active', g.vector::halfvec, g.vector
FROM unnest(%(ids)s::uuid[], %(types)s::text[], %(vectors)b::vector[]) AS g(id, memory_type, vector)
ON CONFLICT (memory_id, model_id) DO UPDATE SET embedding = excluded.embedding, exact = excluded.exact,
    version = excluded.version;

-- name: delete_vectors
-- Vectors that do not belong to their bodies any more; back-filling makes them anew.
DELETE FROM memory_vectors
WHERE memory_id = ANY(%(ids)s) AND model_id = %(model_id)s AND account_id = %(account_id)s;

-- name: insert_origins
-- Where contributions come from, their redacted originals, what was decided about each and why, links to memories that
-- are near but not the same, and what each idempotency key made. Decisions of a batch are a microsecond apart, in its
-- order: who undoes one must know which came later.
WITH sourced AS (
    INSERT INTO memory_sources (id, account_id, agent_id, memory_id, kind, segment_id, session_id, raw_upload_id,
        start_line, end_line, segment_start_line, quote, created_at)
    SELECT g.id, %(account_id)s, g.agent_id, g.memory_id, g.kind, g.segment_id, g.session_id, g.raw_upload_id,
        g.start_line, g.end_line, g.segment_start_line, g.quote, %(now)s
    FROM jsonb_to_recordset(%(sources)s) AS g(id uuid, agent_id text, memory_id uuid, kind text, segment_id uuid,
        session_id uuid, raw_upload_id uuid, start_line integer, end_line integer, segment_start_line integer,
        quote text)
), contributed AS (
    INSERT INTO memory_contributions (id, account_id, agent_id, memory_id, source_id, content, context, resolution,
        tags, merged, pending_merge, contributed_at)
    SELECT g.id, %(account_id)s, g.agent_id, g.memory_id, g.source_id, g.content, g.context, g.resolution, g.tags,
        g.merged, g.pending, %(now)s
    FROM jsonb_to_recordset(%(contributions)s) AS g(id uuid, agent_id text, memory_id uuid, source_id uuid,
        content text, context text, resolution text, tags text[], merged boolean, pending boolean)
), linked AS (
    INSERT INTO memory_links (account_id, from_id, to_id, kind, score, reason, created_at)
    SELECT %(account_id)s, g.from_id, g.to_id, g.kind, g.score, g.reason, %(now)s
    FROM jsonb_to_recordset(%(links)s) AS g(from_id uuid, to_id uuid, kind text, score real, reason text)
    ON CONFLICT DO NOTHING
), keyed AS (
    INSERT INTO idempotency_keys (account_id, agent_id, key, request_hash, memory_id, created_at)
    SELECT %(account_id)s, g.agent_id, g.key, g.request_hash, g.memory_id, %(now)s
    FROM jsonb_to_recordset(%(keys)s) AS g(agent_id text, key text, request_hash text, memory_id uuid)
)
INSERT INTO merge_decisions (id, account_id, memory_id, other_id, contribution_id, decision, reason, score, threshold,
    model_id, body_before, decided_by, created_at)
SELECT g.id, %(account_id)s, g.memory_id, g.other_id, g.contribution_id, g.decision, g.reason, g.score,
    %(threshold)s, %(model_id)s, g.body_before, g.decided_by,
    %(now)s::timestamptz + g.position * interval '1 microsecond'
FROM ROWS FROM (jsonb_to_recordset(%(decisions)s) AS (id uuid, memory_id uuid, other_id uuid, contribution_id uuid,
    decision text, reason text, score real, body_before jsonb, decided_by text)) WITH ORDINALITY
    AS g(id, memory_id, other_id, contribution_id, decision, reason, score, body_before, decided_by, position);

-- name: count_documents
-- Documents more: their number and length, and how many hold each term, in order of term, so that two writers never
-- deadlock.
WITH counted AS (
    INSERT INTO lexical_stats AS s (account_id, scope, documents, total_length)
    VALUES (%(account_id)s, %(scope)s, %(documents)s, %(length)s)
    ON CONFLICT (account_id, scope) DO UPDATE SET documents = greatest(s.documents + excluded.documents, 0),
        total_length = greatest(s.total_length + excluded.total_length, 0)
)
INSERT INTO lexical_df AS d (account_id, scope, term, df)
SELECT %(account_id)s, %(scope)s, g.term, g.df FROM unnest(%(terms)s::integer[], %(counts)s::integer[]) AS g(term, df)
ORDER BY g.term
ON CONFLICT (account_id, scope, term) DO UPDATE SET df = greatest(d.df + excluded.df, 0);

-- name: vector_count
-- Active vectors of one model: its index is one for all accounts.
SELECT count(*) AS rows FROM memory_vectors
WHERE model_id = %(model_id)s AND status = 'active';
