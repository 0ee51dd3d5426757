-- name: of_sessions
-- The segments of some sessions in order, without what was made of them: the labels of a long log fill the memory.
SELECT t.id, t.account_id, t.agent_id, t.session_id, t.session_file, t.generation, t.segment_index, t.thread,
    t.start_message, t.end_message, t.start_seq, t.start_line, t.end_line, t.fingerprint, t.occurrence, t.topic, t.closed,
    t.segmenter, t.repair, NULL::jsonb AS quality_metrics, t.labeled, t.labeler, t.label_attempts, t.memory_extracted,
    t.extract_attempts, NULL::jsonb AS model_notes, s.project, s.brought_by
FROM task_segments t JOIN sessions s ON s.id = t.session_id
WHERE t.session_id = ANY(%(ids)s) ORDER BY t.session_id, t.segment_index;

-- name: insert
-- A new segment, not labelled yet; what a model said of it along with its boundaries waits for the stages behind.
INSERT INTO task_segments (id, account_id, agent_id, session_id, session_file, generation, segment_index, thread,
    start_message, end_message, start_seq, start_line, end_line, fingerprint, occurrence, topic, closed, segmenter, repair,
    redaction_version, model_notes, created_at, updated_at)
VALUES (%(id)s, %(account_id)s, %(agent_id)s, %(session_id)s, %(session_file)s, %(generation)s,
    %(segment_index)s, %(thread)s, %(start_message)s, %(end_message)s, %(start_seq)s, %(start_line)s, %(end_line)s,
    %(fingerprint)s, %(occurrence)s, %(topic)s, %(closed)s, %(segmenter)s, %(repair)s, %(redaction_version)s,
    %(notes)s, %(now)s, %(now)s);

-- name: move
-- The same segment at another place, or cut by another version; a row is only written when something differs.
UPDATE task_segments SET segment_index = %(segment_index)s, start_message = %(start_message)s,
    end_message = %(end_message)s, start_seq = %(start_seq)s, start_line = %(start_line)s, end_line = %(end_line)s,
    topic = %(topic)s,
    segmenter = %(segmenter)s, repair = %(repair)s, closed = closed OR %(closed)s, updated_at = %(now)s
WHERE id = %(id)s AND (segment_index, start_message, end_message, start_seq, start_line, end_line, topic, segmenter, repair,
    closed) IS DISTINCT FROM (%(segment_index)s, %(start_message)s, %(end_message)s, %(start_seq)s, %(start_line)s,
        %(end_line)s, %(topic)s, %(segmenter)s, %(repair)s, closed OR %(closed)s);

-- name: followed
-- Another task stands behind these now, or none any more: what its first turn tells of them was not read. Models judge
-- without it.
UPDATE task_segments SET labeled = 0, label_attempts = 0, next_try = NULL, updated_at = %(now)s,
    memory_extracted = CASE WHEN starts_with(extractor, 'offline') THEN 0 ELSE memory_extracted END
WHERE id = ANY(%(ids)s) AND labeled = 1 AND starts_with(labeler, 'offline');

-- name: move_sources
-- The lines of a moved segment's memories move along.
UPDATE memory_sources SET start_line = start_line + %(offset)s, end_line = end_line + %(offset)s,
    segment_start_line = segment_start_line + %(offset)s
WHERE segment_id = %(segment_id)s AND start_line IS NOT NULL;

-- name: memories_of
-- Memories that rest on these segments.
SELECT DISTINCT memory_id FROM memory_sources WHERE segment_id = ANY(%(ids)s);

-- name: delete
-- Segments that no longer exist; their sources go with them.
DELETE FROM task_segments WHERE id = ANY(%(ids)s);

-- name: close_quiet
-- Last tasks of logs that have been quiet long enough, or were rotated away.
UPDATE task_segments t SET closed = true, updated_at = %(now)s
FROM sessions s
WHERE t.session_id = s.id AND NOT t.closed AND t.account_id = %(account_id)s AND s.segmented = 1
    AND (s.changed_at <= %(quiet_since)s OR s.is_over
        OR EXISTS (SELECT 1 FROM sessions n WHERE n.account_id = s.account_id AND n.agent_id = s.agent_id
            AND n.session_file = s.session_file AND n.generation > s.generation))
    AND (%(keys)s::text[] IS NULL OR s.partition_key = ANY(%(keys)s))
RETURNING s.partition_key;

-- name: to_label
-- Finished segments without a label, in canonical order.
SELECT t.*, s.partition_key, s.project, s.brought_by FROM task_segments t JOIN sessions s ON s.id = t.session_id
WHERE t.account_id = %(account_id)s AND t.labeled = 0 AND t.closed
    AND (%(keys)s::text[] IS NULL OR s.partition_key = ANY(%(keys)s))
    AND t.label_attempts < %(max_attempts)s AND NOT t.id = ANY(%(tried)s::uuid[])
    AND NOT EXISTS (SELECT FROM leases l WHERE l.row_id = t.id AND l.stage = 'quality_labels'
        AND l.expires_at > clock_timestamp())
ORDER BY t.next_try NULLS FIRST, s.partition_key, s.generation, t.segment_index
LIMIT %(batch_size)s FOR UPDATE OF t SKIP LOCKED;

-- name: label
-- The judgement, and the notes that came with it; only if nobody was faster.
UPDATE task_segments SET quality_metrics = %(metrics)s, labeled = 1, labeler = %(labeler)s, label_attempts = 0,
    model_notes = %(notes)s, label_error = NULL, next_try = NULL, updated_at = %(now)s
WHERE id = %(id)s AND labeled = 0;

-- name: label_failed
-- Not now. A failure of the row is an attempt, a failure of the endpoint is not.
UPDATE task_segments SET label_error = %(error)s, next_try = %(next_try)s, updated_at = %(now)s,
    label_attempts = label_attempts + CASE WHEN %(transient)s THEN 0 ELSE 1 END
WHERE id = %(id)s AND labeled = 0;

-- name: to_extract
-- Labelled segments that nobody looked through for memories yet, and refused ones (2) that pass the gate's threshold as
-- it is now, in canonical order. The condition on refused ones is the one of `stats`.
SELECT t.*, s.partition_key, s.project, s.brought_by FROM task_segments t JOIN sessions s ON s.id = t.session_id
WHERE t.account_id = %(account_id)s AND t.labeled = 1 AND t.closed
    AND (t.memory_extracted = 0 OR t.memory_extracted = 2 AND
        CASE jsonb_typeof(coalesce(t.quality_metrics #> '{summary,memory_score}', t.quality_metrics #> '{summary,overall_score}'))
        WHEN 'number' THEN coalesce(t.quality_metrics #>> '{summary,memory_score}',
            t.quality_metrics #>> '{summary,overall_score}')::float8 >= %(memory_threshold)s END)
    AND (%(keys)s::text[] IS NULL OR s.partition_key = ANY(%(keys)s))
    AND t.extract_attempts < %(max_attempts)s AND NOT t.id = ANY(%(tried)s::uuid[])
    AND NOT EXISTS (SELECT FROM leases l WHERE l.row_id = t.id AND l.stage = 'extracted_memories'
        AND l.expires_at > clock_timestamp())
ORDER BY t.next_try NULLS FIRST, s.partition_key, s.generation, t.segment_index
LIMIT %(batch_size)s FOR UPDATE OF t SKIP LOCKED;

-- name: extracted
-- 1: looked through; 2: refused by the gate, the reason is in drops; its notes wait, since the threshold may change.
UPDATE task_segments SET memory_extracted = %(state)s, extractor = %(extractor)s, extract_attempts = 0,
    model_notes = CASE WHEN %(state)s = 1 THEN NULL ELSE model_notes END,
    extract_error = NULL, next_try = NULL, updated_at = %(now)s
WHERE id = %(id)s AND memory_extracted <> 1;

-- name: extract_failed
-- Not now. A failure of the row is an attempt, a failure of the endpoint is not.
UPDATE task_segments SET extract_error = %(error)s, next_try = %(next_try)s, updated_at = %(now)s,
    extract_attempts = extract_attempts + CASE WHEN %(transient)s THEN 0 ELSE 1 END
WHERE id = %(id)s AND memory_extracted <> 1;

-- name: stats
-- How many segments there are, and what they wait for; with `due`, only what is to be tried by then.
SELECT count(*) AS total,
    count(*) FILTER (WHERE labeled = 1) AS labeled,
    count(*) FILTER (WHERE memory_extracted = 1) AS memory_extracted,
    count(*) FILTER (WHERE NOT closed) AS open,
    count(*) FILTER (WHERE to_label AND is_due AND label_attempts < %(max_attempts)s) AS to_label,
    count(*) FILTER (WHERE to_extract AND is_due AND extract_attempts < %(max_attempts)s) AS to_extract,
    count(*) FILTER (WHERE to_label AND label_attempts >= %(max_attempts)s
        OR to_extract AND extract_attempts >= %(max_attempts)s) AS exhausted,
    avg((quality_metrics #>> '{summary,overall_score}')::float8) AS avg_quality_score
FROM (
    SELECT *, closed AND labeled = 0 AS to_label,
        closed AND labeled = 1 AND (memory_extracted = 0 OR memory_extracted = 2 AND
            CASE jsonb_typeof(coalesce(quality_metrics #> '{summary,memory_score}', quality_metrics #> '{summary,overall_score}'))
            WHEN 'number' THEN coalesce(quality_metrics #>> '{summary,memory_score}',
                quality_metrics #>> '{summary,overall_score}')::float8 >= %(memory_threshold)s END) AS to_extract,
        coalesce(next_try <= %(due)s, true) AS is_due
    FROM task_segments t WHERE account_id = %(account_id)s AND (%(project)s::text IS NULL OR session_id IN (
        SELECT id FROM sessions WHERE account_id = %(account_id)s AND project = %(project)s))
) t;

-- name: labels_from
-- What the gates look at of the labels of finished segments that may pass one: none passes with both scores below the
-- lower threshold, unless nobody knows yet what there is to learn. The notes of all labels at once would fill the memory of a machine.
SELECT jsonb_build_object('summary', quality_metrics -> 'summary', 'metrics', jsonb_build_object(
    'safety', jsonb_build_object('score', quality_metrics #> '{metrics,safety,score}'),
    'completeness', jsonb_build_object('score', quality_metrics #> '{metrics,completeness,score}'))) AS quality_metrics
FROM task_segments
WHERE account_id = %(account_id)s AND labeled = 1 AND closed
    AND (%(project)s::text IS NULL OR session_id IN (
        SELECT id FROM sessions WHERE account_id = %(account_id)s AND project = %(project)s))
    AND (greatest((quality_metrics #>> '{summary,memory_score}')::float8,
        (quality_metrics #>> '{summary,overall_score}')::float8) >= %(lowest)s
        OR quality_metrics #> '{summary,memory_score}' = 'null');

-- name: retry
-- What used up its tries is tried again.
UPDATE task_segments SET label_attempts = 0, extract_attempts = 0, next_try = NULL, updated_at = %(now)s
WHERE account_id = %(account_id)s
    AND (labeled = 0 AND label_attempts >= %(max_attempts)s
        OR labeled = 1 AND memory_extracted <> 1 AND extract_attempts >= %(max_attempts)s);

-- name: scores
-- Scores of some partitions (all when keys is null), for histograms.
SELECT (t.quality_metrics #>> '{summary,overall_score}')::float8 AS overall_score,
    (t.quality_metrics #>> '{summary,memory_score}')::float8 AS memory_score,
    t.quality_metrics #>> '{summary,outcome}' AS outcome,
    t.quality_metrics #>> '{summary,task_type}' AS task_type
FROM task_segments t JOIN sessions s ON s.id = t.session_id
WHERE t.account_id = %(account_id)s AND t.labeled = 1
    AND (%(keys)s::text[] IS NULL OR s.partition_key = ANY(%(keys)s));

-- name: versions
-- Per partition, what its rows are, who made each stage and which stage some still wait for: the base of Dagster's data
-- and code versions. A row that used up its attempts waits for a person.
SELECT s.partition_key,
    array_agg(t.thread || ':' || t.fingerprint || ':' || t.occurrence
        ORDER BY s.generation, t.segment_index) AS fingerprints,
    array_agg(t.segmenter ORDER BY s.generation, t.segment_index) FILTER (WHERE t.id IS NOT NULL) AS segmenters,
    array_agg(coalesce(t.labeler, '-') ORDER BY s.generation, t.segment_index) AS labelers,
    array_agg(coalesce(t.extractor, '-') ORDER BY s.generation, t.segment_index) AS extractors,
    array_agg(t.closed ORDER BY s.generation, t.segment_index) AS closed,
    array_agg(DISTINCT s.generation || ':' || s.content_sha256 || ':' || s.parser_version) AS contents,
    array_agg(DISTINCT 'parser:' || s.parser_version) AS parsers,
    array_agg(DISTINCT coalesce(s.windowed, '-')) AS windows,
    (array_agg(s.content_sha256 ORDER BY s.generation DESC))[1] AS content,
    (array_agg(s.parser_version ORDER BY s.generation DESC))[1] AS parser,
    (array_agg(s.status ORDER BY s.generation DESC))[1] <> 'failed' AS readable,
    bool_or(s.segmented = 0) AS to_segment,
    bool_or(s.windowed IS DISTINCT FROM %(windows)s AND s.message_count > 0) AS to_window,
    bool_or(s.segmented = 0 OR t.closed AND t.labeled = 0) AS to_label,
    bool_or(s.segmented = 0 OR t.closed AND (t.labeled = 0 OR t.memory_extracted = 0)) AS to_extract
FROM sessions s LEFT JOIN task_segments t ON t.session_id = s.id
WHERE s.account_id = %(account_id)s AND (%(keys)s::text[] IS NULL OR s.partition_key = ANY(%(keys)s))
GROUP BY s.partition_key ORDER BY s.partition_key;

-- name: stale
-- Segments by stage and maker, where another would make them now. What a rule decides whatever the version is (`short`)
-- is never stale, nor is what a model made while none is set: the rules would not do it better.
SELECT made.stage, made.made_by, current.maker AS now_by, count(*) AS rows
FROM task_segments t
CROSS JOIN LATERAL (VALUES ('segments', t.segmenter), ('labels', CASE t.labeled WHEN 1 THEN t.labeler END),
    ('memories', CASE WHEN t.memory_extracted > 0 THEN t.extractor END)) AS made (stage, made_by)
JOIN unnest(%(stages)s::text[], %(makers)s::text[]) AS current (stage, maker) ON current.stage = made.stage
WHERE t.account_id = %(account_id)s AND made.made_by NOT IN (current.maker, 'short')
    AND (starts_with(current.maker, 'model:') OR NOT starts_with(made.made_by, 'model:'))
GROUP BY 1, 2, 3 ORDER BY array_position(%(stages)s::text[], made.stage), made.made_by;

-- name: counts_by_partition
-- Per partition, how far its segments are.
SELECT s.partition_key, count(t.id) AS segments, count(t.id) FILTER (WHERE NOT t.closed) AS open,
    count(t.id) FILTER (WHERE t.labeled = 1) AS labeled,
    count(t.id) FILTER (WHERE t.memory_extracted = 1) AS extracted,
    count(t.id) FILTER (WHERE t.memory_extracted = 2) AS refused,
    (SELECT count(DISTINCT ms.memory_id) FROM memory_sources ms WHERE ms.session_id = ANY(array_agg(s.id)))
        AS memories,
    (SELECT count(*) FROM message_windows w WHERE w.session_id = ANY(array_agg(s.id))) AS windows,
    (SELECT count(w.model_id) FROM message_windows w WHERE w.session_id = ANY(array_agg(s.id))) AS embedded
FROM sessions s LEFT JOIN task_segments t ON t.session_id = s.id
WHERE s.account_id = %(account_id)s AND s.partition_key = ANY(%(keys)s)
GROUP BY s.partition_key;

-- name: reprocess_labels
-- Judge again what this labeler judged, or what none of these did, and try again what used up its tries.
UPDATE task_segments SET labeled = 0, label_attempts = 0, next_try = NULL, updated_at = %(now)s
WHERE account_id = %(account_id)s AND ((labeled = 1 AND (%(made_by)s::text IS NULL OR starts_with(labeler, %(made_by)s))
        AND (%(not_by)s::text IS NULL OR labeler IS DISTINCT FROM %(not_by)s))
    OR (labeled = 0 AND label_attempts > 0))
    AND (%(keys)s::text[] IS NULL OR session_id IN (SELECT id FROM sessions
        WHERE account_id = %(account_id)s AND partition_key = ANY(%(keys)s)));

-- name: reprocess_extract
-- Look again through what this extractor, or another than the present one, looked through or the gate refused, and what
-- used up its tries.
UPDATE task_segments SET memory_extracted = 0, extract_attempts = 0, model_notes = NULL, next_try = NULL,
    updated_at = %(now)s
WHERE account_id = %(account_id)s AND ((memory_extracted > 0
        AND (%(made_by)s::text IS NULL OR starts_with(extractor, %(made_by)s))
        AND (%(not_by)s::text IS NULL OR extractor IS DISTINCT FROM %(not_by)s))
    OR (memory_extracted = 0 AND extract_attempts > 0))
    AND (%(keys)s::text[] IS NULL OR session_id IN (SELECT id FROM sessions
        WHERE account_id = %(account_id)s AND partition_key = ANY(%(keys)s)));

-- name: reprocess_segment
-- Cut again what this segmenter, or another than the present one, cut, and what used up its tries. Without a segmenter
-- the whole log is cut again, not only its tail.
UPDATE sessions SET segmented = 0, segmenter = NULL, attempts = 0, next_try = NULL, updated_at = %(now)s
WHERE account_id = %(account_id)s AND status <> 'failed' AND ((segmented = 1
        AND (%(made_by)s::text IS NULL OR EXISTS (SELECT FROM task_segments t
            WHERE t.session_id = sessions.id AND starts_with(t.segmenter, %(made_by)s)))
        AND (%(not_by)s::text IS NULL OR segmenter NOT IN (%(not_by)s, 'short')))
    OR (segmented = 0 AND attempts > 0))
    AND (%(keys)s::text[] IS NULL OR partition_key = ANY(%(keys)s));

-- name: reprocess_windows
-- Make windows again that this layout or model made, and try again what used up its tries.
UPDATE sessions SET windowed = NULL, window_attempts = 0, window_next_try = NULL
WHERE account_id = %(account_id)s AND message_count > 0
    AND (%(made_by)s::text IS NULL OR starts_with(windowed, %(made_by)s) OR windowed LIKE '%%:' || %(made_by)s || '%%'
        OR window_attempts > 0)
    AND (%(not_by)s::text IS NULL OR windowed IS DISTINCT FROM %(not_by)s)
    AND (%(keys)s::text[] IS NULL OR partition_key = ANY(%(keys)s));

-- name: tiling
-- Threads whose segments leave a gap, overlap, or do not cover every message. None may exist.
-- Each start is compared with the end before it: sums alone miss an overlap as long as a gap.
WITH threads AS (
    SELECT m.session_id, m.thread, count(*) AS messages FROM messages m
    JOIN sessions s ON s.id = m.session_id AND s.segmented = 1
    WHERE m.account_id = %(account_id)s GROUP BY 1, 2
), steps AS (
    SELECT session_id, thread, start_message, end_message,
        lag(end_message, 1, 0) OVER (PARTITION BY session_id, thread ORDER BY start_message, end_message) AS due
    FROM task_segments WHERE account_id = %(account_id)s
), tiles AS (
    SELECT session_id, thread, min(start_message) AS first, max(end_message) AS last,
        count(*) FILTER (WHERE start_message <> due OR end_message <= start_message) AS breaks
    FROM steps GROUP BY 1, 2
)
SELECT s.partition_key, th.thread, th.messages, ti.first, ti.last, ti.breaks
FROM threads th JOIN sessions s ON s.id = th.session_id
LEFT JOIN tiles ti USING (session_id, thread)
WHERE ti.last IS DISTINCT FROM th.messages OR ti.breaks IS DISTINCT FROM 0
ORDER BY 1, 2;

-- name: reopen_extraction
-- Segments that are labelled again are looked through again.
UPDATE task_segments SET memory_extracted = 0, extract_attempts = 0, updated_at = %(now)s
WHERE account_id = %(account_id)s AND labeled = 0 AND memory_extracted > 0
    AND (%(keys)s::text[] IS NULL OR session_id IN (SELECT id FROM sessions
        WHERE account_id = %(account_id)s AND partition_key = ANY(%(keys)s)));
