-- name: sessions
-- What was read.
SELECT partition_key, generation, content_sha256, bytes, format, lines, message_count, status, segmented, error
FROM sessions WHERE account_id = %(account_id)s ORDER BY partition_key, generation;

-- name: messages
-- What was said.
SELECT s.partition_key, s.generation, m.seq, m.thread, m.start_line, m.end_line, m.role, m.origin, m.digest
FROM messages m JOIN sessions s ON s.id = m.session_id
WHERE m.account_id = %(account_id)s ORDER BY 1, 2, 3;

-- name: segments
-- How it was cut and judged.
SELECT s.partition_key, s.generation, t.segment_index, t.thread, t.start_message, t.end_message, t.start_line,
    t.end_line, t.fingerprint, t.occurrence, t.topic, t.closed, t.segmenter, t.repair, t.quality_metrics, t.labeled,
    t.labeler, t.memory_extracted, t.extractor
FROM task_segments t JOIN sessions s ON s.id = t.session_id
WHERE t.account_id = %(account_id)s ORDER BY 1, 2, 3;

-- name: memories
-- What was learned: type, body, where it comes from and what was contributed, without ids, times and hits.
SELECT m.memory_type, m.status, m.content, m.context, m.resolution, m.trust, m.proof, m.lesson, m.cure,
    (SELECT jsonb_agg(jsonb_build_array(s.partition_key, s.generation, t.fingerprint, t.occurrence, ms.kind,
        ms.start_line, ms.end_line, ms.quote) ORDER BY s.partition_key, s.generation, t.segment_index, ms.start_line,
        ms.end_line, ms.quote)
     FROM memory_sources ms LEFT JOIN sessions s ON s.id = ms.session_id LEFT JOIN task_segments t ON t.id = ms.segment_id
     WHERE ms.memory_id = m.id) AS sources,
    (SELECT jsonb_agg(jsonb_build_array(c.content, c.context, c.resolution, c.merged) ORDER BY c.content, c.context,
        c.resolution, c.merged)
     FROM memory_contributions c WHERE c.memory_id = m.id) AS contributions,
    (SELECT jsonb_agg(jsonb_build_array(v.verdict, v.given_by, v.body_sha256) ORDER BY v.body_sha256, v.given_by)
     FROM memory_verdicts v WHERE v.memory_id = m.id) AS verdicts
FROM memories m WHERE m.account_id = %(account_id)s
ORDER BY m.memory_type, m.content, m.context, m.resolution, m.status;

-- name: drops
-- What was refused.
SELECT s.partition_key, s.generation, d.stage, d.reason, d.start_line, d.end_line, d.detail, d.payload
FROM drops d LEFT JOIN sessions s ON s.id = d.session_id
WHERE d.account_id = %(account_id)s ORDER BY 1, 2, 3, 4, 5, 6, 7, 8;

-- name: clusters
-- Which memories stand together.
SELECT array_agg(m.body_sha256 ORDER BY m.body_sha256) AS members FROM cluster_members cm
JOIN memories m ON m.id = cm.memory_id
WHERE cm.account_id = %(account_id)s GROUP BY cm.cluster_id ORDER BY 1;

-- name: windows
-- What the search over logs finds; the weights of its words depend on what was there before.
SELECT s.partition_key, s.generation, w.thread, w.place, w.start_line, w.end_line, w.digest, w.model_id, w.layout,
    w.terms, w.length, w.embedding IS NOT NULL AS embedded
FROM message_windows w JOIN sessions s ON s.id = w.session_id
WHERE w.account_id = %(account_id)s ORDER BY 1, 2, 3, 4;
