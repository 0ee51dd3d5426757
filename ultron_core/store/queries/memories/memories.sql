-- name: insert_memories
-- New memories with their counters: one hit for having been contributed, one for each later part of the batch.
WITH given AS (
    SELECT * FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, agent_id text, memory_type text, content text,
        context text, resolution text, tags text[], summary_l0 text, overview_l1 text, confidence real,
        extractor text, body_sha256 text, needs_model boolean, status text, trust text, proof text, lesson text,
        probability float8, cure text, hits bigint)
), stored AS (
    INSERT INTO memories (id, account_id, agent_id, memory_type, content, context, resolution, tags, summary_l0,
        overview_l1, confidence, extractor, redaction_version, body_sha256, needs_model, status, trust, proof,
        lesson, probability, cure, created_at, updated_at)
    SELECT id, %(account_id)s, agent_id, memory_type, content, context, resolution, tags, summary_l0, overview_l1,
        confidence, extractor, %(redaction_version)s, body_sha256, needs_model, status, coalesce(trust, 'upload'),
        coalesce(proof, 'claimed'), coalesce(lesson, ''), probability, coalesce(cure, 'none'),
        %(now)s, %(now)s
    FROM given
)
INSERT INTO memory_usage (memory_id, account_id, tier, hit_count, last_hit_at)
SELECT id, %(account_id)s, 'WARM', hits, %(now)s FROM given;

-- name: update_memories
-- Other bodies, types or summaries, with everything made from them. A trigger drops the vectors of changed words.
UPDATE memories m SET memory_type = g.memory_type, content = g.content, context = g.context,
    resolution = g.resolution, tags = g.tags, summary_l0 = g.summary_l0, overview_l1 = g.overview_l1,
    body_sha256 = g.body_sha256, needs_model = g.needs_model, trust = coalesce(g.trust, m.trust),
    proof = coalesce(g.proof, m.proof), lesson = coalesce(g.lesson, m.lesson), cure = coalesce(g.cure, m.cure),
    probability = CASE WHEN g.trust IS NULL THEN m.probability ELSE g.probability END, updated_at = %(now)s,
    version = m.version + CASE WHEN m.body_sha256 = g.body_sha256 AND m.tags = g.tags THEN 0 ELSE 1 END
FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, memory_type text, content text, context text, resolution text,
    tags text[], summary_l0 text, overview_l1 text, body_sha256 text, needs_model boolean, trust text, proof text,
    lesson text, probability float8, cure text)
WHERE m.id = g.id AND m.account_id = %(account_id)s;

-- name: update_backings
-- Somebody else stands behind the same bodies.
UPDATE memories m SET trust = g.trust, proof = g.proof, lesson = g.lesson, probability = g.probability, cure = g.cure,
    updated_at = %(now)s
FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, trust text, proof text, lesson text, probability float8, cure text)
WHERE m.id = g.id AND m.account_id = %(account_id)s
    AND (m.trust, m.proof, m.lesson, m.probability, m.cure)
        IS DISTINCT FROM (g.trust, g.proof, g.lesson, g.probability, g.cure);

-- name: settle
-- After a source went: behind a body that contributions gave word for word stand those that still have a source, the most
-- trusted with what proves it best, or nobody. One that was edited or put together is its editor's, or that of all its
-- parts, as before.
UPDATE memories m SET trust = coalesce(best.trust, 'upload'), proof = coalesce(best.proof, 'claimed'),
    lesson = coalesce(best.lesson, ''), probability = best.probability, cure = coalesce(best.cure, 'none')
FROM unnest(%(ids)s::uuid[]) AS wanted(id) LEFT JOIN LATERAL (
    SELECT (array_agg(c.trust ORDER BY array_position(ARRAY['human', 'agent', 'tool', 'upload'], c.trust)))[1] AS trust,
        (array_agg(c.proof ORDER BY at.proven, at.trusted, c.contributed_at, c.id))[1] AS proof,
        (array_agg(c.lesson ORDER BY at.proven, at.trusted, c.contributed_at, c.id))[1] AS lesson,
        max(c.probability) AS probability,
        (array_agg(c.cure ORDER BY array_position(ARRAY['verified', 'claimed', 'none'], c.cure)))[1] AS cure
    FROM memory_contributions c JOIN memories own ON own.id = c.memory_id
    CROSS JOIN LATERAL (SELECT
        array_position(ARRAY['human', 'agent', 'tool', 'upload'], c.trust) AS trusted,
        array_position(ARRAY['person', 'check', 'result', 'repeated', 'claimed'], c.proof) AS proven) at
    WHERE c.memory_id = wanted.id AND c.source_id IS NOT NULL
        AND (c.content, c.context, c.resolution) = (own.content, own.context, own.resolution)
) best ON true
WHERE m.id = wanted.id AND m.account_id = %(account_id)s AND EXISTS (
    SELECT 1 FROM memory_contributions c WHERE c.memory_id = m.id
        AND (c.content, c.context, c.resolution) = (m.content, m.context, m.resolution));

-- name: update_tags
-- Other tags, the same bodies.
UPDATE memories m SET tags = g.tags, updated_at = %(now)s, version = m.version + 1
FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, tags text[])
WHERE m.id = g.id AND m.account_id = %(account_id)s AND m.tags <> g.tags;

-- name: retype
-- The types of some memories, copied to where search reads them.
WITH typed AS (
    SELECT id, memory_type FROM memories WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s
), searched AS (
    UPDATE memory_search s SET memory_type = t.memory_type FROM typed t WHERE s.memory_id = t.id
)
UPDATE memory_vectors v SET memory_type = t.memory_type, version = nextval('vector_versions')
FROM typed t WHERE v.memory_id = t.id;

-- name: mark_redacted
-- Memories whose texts these rules have seen.
UPDATE memories SET redaction_version = %(version)s WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s;

-- name: add_hits
-- Memories that were read, found or merged into; rows are locked in order of id, so that no two writers deadlock.
WITH given AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(hits)s::bigint[]) AS g(memory_id, hits)
), wanted AS (
    SELECT u.memory_id, g.hits FROM memory_usage u JOIN given g USING (memory_id)
    WHERE u.account_id = %(account_id)s ORDER BY u.memory_id FOR UPDATE OF u
)
UPDATE memory_usage u SET hit_count = hit_count + wanted.hits,
    last_hit_at = greatest(last_hit_at, %(hit_at)s::timestamptz)
FROM wanted WHERE u.memory_id = wanted.memory_id;

-- name: set_status
-- Another status, in every table that search reads; returns what each was before. What is only claimed is not HOT. That
-- one was archived, or came back, is a decision about it.
WITH old AS (
    SELECT id, status FROM memories
    WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s AND status <> %(status)s ORDER BY id FOR UPDATE
), changed AS (
    UPDATE memories m SET status = %(status)s, updated_at = %(now)s,
        archive_reason = CASE WHEN %(status)s = 'archived' THEN %(cause)s END
    FROM old WHERE m.id = old.id
    RETURNING m.id, old.status
), cooled AS (
    UPDATE memory_usage SET tier = 'WARM'
    WHERE %(status)s = 'claimed' AND tier = 'HOT' AND memory_id IN (SELECT id FROM changed)
), searched AS (
    UPDATE memory_search SET status = %(status)s WHERE memory_id IN (SELECT id FROM changed)
), embedded AS (
    UPDATE memory_vectors SET status = %(status)s, version = nextval('vector_versions')
    WHERE memory_id IN (SELECT id FROM changed)
), noted AS (
    INSERT INTO merge_decisions (id, account_id, memory_id, decision, reason, decided_by, created_at)
    SELECT gen_random_uuid(), %(account_id)s, id, CASE %(status)s WHEN 'archived' THEN 'archive' ELSE 'return' END,
        %(cause)s, %(decided_by)s, %(now)s
    FROM changed WHERE 'archived' IN (status, %(status)s)
)
SELECT id, status FROM changed;

-- name: shelve
-- The shelf that each memory belongs to, where it stands on another: claimed is what only an agent said in one session,
-- and nothing else bears out. An agent's words out of two sessions are repeated (two copies of one task are one); what
-- somebody handed in, reworded or confirmed is not the agent's alone. What is archived stays so, but for `back`.
WITH told AS MATERIALIZED (
    SELECT m.id, s.repeated, s.handed_in FROM memories m CROSS JOIN LATERAL (
        SELECT least(count(DISTINCT s.session_id), count(DISTINCT t.fingerprint)) > 1
                OR coalesce(bool_or(c.proof = 'repeated'), false) AS repeated,
            coalesce(bool_or(c.trust = 'upload'), false) AS handed_in
        FROM memory_contributions c JOIN memory_sources s ON s.id = c.source_id
        LEFT JOIN task_segments t ON t.id = s.segment_id
        WHERE c.memory_id = m.id
    ) s
    WHERE m.id = ANY(%(ids)s) AND m.account_id = %(account_id)s AND m.trust = 'agent'
        AND m.proof IN ('repeated', 'claimed')
        AND NOT EXISTS (SELECT FROM memory_versions v WHERE v.memory_id = m.id
            AND (v.content, v.context, v.resolution) <> (m.content, m.context, m.resolution))
), counted AS (
    UPDATE memories m SET proof = CASE WHEN t.repeated THEN 'repeated' ELSE 'claimed' END
    FROM told t WHERE m.id = t.id AND t.repeated <> (m.proof = 'repeated')
), placed AS (
    SELECT m.id, m.status, CASE WHEN t.repeated OR t.handed_in OR EXISTS (SELECT FROM memory_verdicts v
            WHERE v.memory_id = m.id AND v.verdict IN ('confirmed', 'useful') AND v.body_sha256 = m.body_sha256)
        THEN 'active' ELSE 'claimed' END AS shelf
    FROM memories m JOIN told t ON t.id = m.id
    UNION ALL
    SELECT m.id, m.status, 'active' FROM memories m
    WHERE m.id = ANY(%(ids)s) AND m.account_id = %(account_id)s AND NOT m.id IN (SELECT id FROM told)
)
SELECT id, shelf FROM placed
WHERE status <> shelf AND (status <> 'archived' OR id = ANY(%(back)s)) ORDER BY id;

-- name: delete
-- Memories with everything made from them.
DELETE FROM memories WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s;

-- name: orphans
-- Which of these memories, but for archived ones, have no source left.
SELECT m.id FROM memories m
WHERE m.id = ANY(%(ids)s) AND m.status <> 'archived'
    AND NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id);

-- name: tagged
-- Memories on either shelf that carry a tag.
SELECT id FROM memories WHERE account_id = %(account_id)s AND status <> 'archived' AND tags @> ARRAY[%(tag)s];

-- name: by_ids
-- Full memories in the order asked for, each with the kind of its most trusted source, and what was said of its words.
SELECT m.*, u.tier, u.hit_count, u.last_hit_at, coalesce(best.kind, 'upload') AS origin, seen.projects,
    said.confirmed_by, said.judged
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted(id, position)
JOIN memories m ON m.id = wanted.id AND m.account_id = %(account_id)s
JOIN memory_usage u ON u.memory_id = m.id
LEFT JOIN LATERAL (
    SELECT kind FROM memory_sources s WHERE s.memory_id = m.id
    ORDER BY array_position(ARRAY['human', 'agent', 'upload', 'tool'], trust), created_at, id LIMIT 1
) AS best ON true
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(DISTINCT coalesce(e.project, s.project) ORDER BY coalesce(e.project, s.project))
        FILTER (WHERE coalesce(e.project, s.project) IS NOT NULL), '{}') AS projects
    FROM memory_sources s LEFT JOIN sessions e ON e.id = s.session_id WHERE s.memory_id = m.id
) AS seen
CROSS JOIN LATERAL (
    SELECT (array_agg(v.given_by ORDER BY v.given_at) FILTER (WHERE v.verdict = 'confirmed'))[1] AS confirmed_by,
        (array_agg(v.verdict ORDER BY v.given_at DESC, v.given_by))[1] AS judged
    FROM memory_verdicts v WHERE v.memory_id = m.id AND v.body_sha256 = m.body_sha256
) AS said
ORDER BY wanted.position;

-- name: sources
-- Where a memory comes from, in order of place.
SELECT ms.*, s.session_file, s.partition_key, s.generation, t.topic
FROM memory_sources ms
LEFT JOIN sessions s ON s.id = ms.session_id
LEFT JOIN task_segments t ON t.id = ms.segment_id
WHERE ms.memory_id = %(id)s AND ms.account_id = %(account_id)s
ORDER BY s.partition_key, ms.start_line, ms.created_at, ms.id;

-- name: stats
-- Memories by tier, type and status.
SELECT m.status, m.memory_type, u.tier, count(*) AS count
FROM memories m JOIN memory_usage u ON u.memory_id = m.id
WHERE m.account_id = %(account_id)s AND (%(project)s::text IS NULL OR EXISTS (
    SELECT 1 FROM memory_sources p LEFT JOIN sessions e ON e.id = p.session_id
    WHERE p.memory_id = m.id AND coalesce(e.project, p.project) = %(project)s))
GROUP BY 1, 2, 3;

-- name: without_vector
-- Memories on either shelf that the embedder of this model has not seen, or has refused only a few times.
SELECT m.id, m.memory_type, m.content, m.context, m.resolution FROM memories m
WHERE m.account_id = %(account_id)s AND m.status <> 'archived'
    AND NOT EXISTS (SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id AND v.model_id = %(model_id)s)
    AND (m.vector_refused IS DISTINCT FROM %(model_id)s::text || ' ' || m.body_sha256
        OR m.vector_refusals < %(max_attempts)s)
    AND NOT m.id = ANY(%(tried)s::uuid[])
ORDER BY m.created_at, m.id LIMIT %(limit)s;

-- name: vector_refused
-- The embedder of this model does not take these words: counted for as long as both are the same.
UPDATE memories SET vector_refused = %(model_id)s::text || ' ' || body_sha256, vector_refusals = 1 +
    CASE WHEN vector_refused = %(model_id)s::text || ' ' || body_sha256 THEN vector_refusals ELSE 0 END
WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s;

-- name: needing_model
-- Memories that were written by rules while a model was set, those first that it has not failed on.
SELECT id FROM memories
WHERE account_id = %(account_id)s AND status <> 'archived' AND needs_model
ORDER BY model_tried NULLS FIRST, created_at, id LIMIT %(limit)s;

-- name: tried
-- The model's answer was of no use.
UPDATE memories SET model_tried = %(now)s WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s;
