-- name: unbalanced_ledgers
-- Sessions whose line counts do not add up.
SELECT partition_key, lines FROM sessions
WHERE account_id = %(account_id)s AND status <> 'failed'
    AND (lines ->> 'total')::bigint <> (lines ->> 'message')::bigint + (lines ->> 'part')::bigint
        + (lines ->> 'metadata')::bigint
        + (SELECT coalesce(sum(value::bigint), 0) FROM jsonb_each_text(lines -> 'skipped'))
ORDER BY 1;

-- name: session_count
-- How many sessions there are.
SELECT count(*) AS count FROM sessions WHERE account_id = %(account_id)s;

-- name: strayed_windows
-- Sessions with windows that end behind their last message, where nothing waits to be made again.
SELECT s.partition_key, count(*) AS windows FROM message_windows w JOIN sessions s ON s.id = w.session_id
WHERE w.account_id = %(account_id)s AND s.windowed IS NOT NULL
    AND (w.end_seq >= s.message_count OR (w.embedding IS NULL) <> (w.model_id IS NULL))
GROUP BY 1 ORDER BY 1;

-- name: window_count
-- How many windows there are.
SELECT count(*) AS count FROM message_windows WHERE account_id = %(account_id)s;

-- name: bad_scores
-- Labels with a score outside 0..1; success_probability may be null (work on a project, labelled offline), and
-- memory_score (judged by a model that took no notes).
SELECT s.partition_key, t.segment_index FROM task_segments t JOIN sessions s ON s.id = t.session_id
WHERE t.account_id = %(account_id)s AND t.labeled = 1 AND EXISTS (
    SELECT 1 FROM (VALUES ('overall_score'), ('memory_score'), ('success_probability')) AS names(name)
    WHERE NOT (names.name <> 'overall_score' AND t.quality_metrics -> 'summary' -> names.name IS NOT DISTINCT FROM 'null')
        AND coalesce((t.quality_metrics -> 'summary' ->> names.name)::float8, -1) NOT BETWEEN 0 AND 1)
ORDER BY 1, 2;

-- name: labeled_count
-- How many labels there are.
SELECT count(*) AS count FROM task_segments WHERE account_id = %(account_id)s AND labeled = 1;

-- name: redacted_texts
-- Every text that must not hold a secret, with where it appears.
SELECT 'memory ' || id AS place, concat_ws(E'\n', content, context, resolution, summary_l0, overview_l1,
    array_to_string(tags, ' ')) AS text
FROM memories WHERE account_id = %(account_id)s
UNION ALL
SELECT 'quote of memory ' || memory_id, quote FROM memory_sources WHERE account_id = %(account_id)s
UNION ALL
SELECT 'contribution to memory ' || memory_id, concat_ws(E'\n', content, context, resolution)
FROM memory_contributions WHERE account_id = %(account_id)s
UNION ALL
SELECT 'segment ' || id, topic FROM task_segments WHERE account_id = %(account_id)s
UNION ALL
SELECT 'drop ' || id, concat_ws(E'\n', detail, payload::text) FROM drops WHERE account_id = %(account_id)s
UNION ALL
SELECT 'cluster ' || cluster_id, topic FROM clusters WHERE account_id = %(account_id)s;

-- name: memories_without_source
-- Memories on either shelf that rest on nothing.
SELECT m.id FROM memories m
WHERE m.account_id = %(account_id)s AND m.status <> 'archived'
    AND NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id)
ORDER BY 1;

-- name: segment_quotes
-- Quotes of memories with the verbatim text of their lines.
SELECT ms.memory_id, s.partition_key, ms.start_line, ms.end_line, ms.quote,
    (SELECT string_agg(concat_ws(E'\n', m.content, m.reasoning, m.tool_calls::text), E'\n' ORDER BY m.seq)
     FROM messages m WHERE m.session_id = ms.session_id
        AND m.start_line <= ms.end_line AND m.end_line >= ms.start_line) AS text
FROM memory_sources ms JOIN sessions s ON s.id = ms.session_id
WHERE ms.account_id = %(account_id)s AND ms.kind = 'segment' AND ms.start_line IS NOT NULL;

-- name: tier_counts
-- Active memories by tier.
SELECT u.tier, count(*) AS count FROM memory_usage u JOIN memories m ON m.id = u.memory_id
WHERE u.account_id = %(account_id)s AND m.status = 'active' GROUP BY 1;

-- name: bad_clusters
-- Clusters without active members, with a wrong size, or members that are not.
SELECT c.cluster_id, c.size, count(m.id) AS members,
    count(m.id) FILTER (WHERE m.status = 'active') AS active
FROM clusters c
LEFT JOIN cluster_members cm ON cm.cluster_id = c.cluster_id
LEFT JOIN memories m ON m.id = cm.memory_id
WHERE c.account_id = %(account_id)s
GROUP BY c.cluster_id
HAVING count(m.id) = 0 OR count(m.id) <> c.size OR count(m.id) <> count(m.id) FILTER (WHERE m.status = 'active')
ORDER BY 1;

-- name: cluster_count
-- How many clusters there are.
SELECT count(*) AS count FROM clusters WHERE account_id = %(account_id)s;

-- name: newest_export
-- The dataset that was written last.
SELECT * FROM sft_exports WHERE account_id = %(account_id)s ORDER BY created_at DESC LIMIT 1;
