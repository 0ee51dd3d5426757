-- name: newest
-- The newest dataset of this name.
SELECT * FROM sft_exports WHERE account_id = %(account_id)s AND name = %(name)s
ORDER BY created_at DESC, version DESC LIMIT 1;

-- name: insert
-- A published dataset.
INSERT INTO sft_exports (id, account_id, name, version, path, content_hash, manifest, rows, created_at)
VALUES (%(id)s, %(account_id)s, %(name)s, %(version)s, %(path)s, %(content_hash)s, %(manifest)s, %(rows)s, %(now)s)
ON CONFLICT (account_id, path) DO NOTHING;

-- name: insert_row
-- Which segment it holds.
INSERT INTO sft_export_rows (export_id, segment_id, account_id, agent_id, session_id, start_line, end_line,
    content_sha256, split)
VALUES (%(export_id)s, %(segment_id)s, %(account_id)s, %(agent_id)s, %(session_id)s, %(start_line)s, %(end_line)s,
    %(content_sha256)s, %(split)s);

-- name: listing
-- All datasets, newest first.
SELECT id, name, version, path, content_hash, rows, created_at FROM sft_exports
WHERE account_id = %(account_id)s ORDER BY created_at DESC LIMIT %(limit)s;

-- name: newest_of_all
-- The dataset that was written last.
SELECT name, version, path, rows, manifest, created_at FROM sft_exports
WHERE account_id = %(account_id)s ORDER BY created_at DESC LIMIT 1;

-- name: finished_segments
-- Finished segments behind `after` in an order that walks session by session, labelled or not.
SELECT t.*, s.content_sha256, s.parser_version, s.harness, s.format, s.cwd, s.project, o.success AS known_success, o.task_id AS known_task
FROM task_segments t JOIN sessions s ON s.id = t.session_id
LEFT JOIN outcomes o ON (o.account_id, o.agent_id, o.session_file) = (s.account_id, s.agent_id, s.session_file)
WHERE t.account_id = %(account_id)s AND t.closed
    AND (%(task_type)s::text IS NULL OR t.quality_metrics #>> '{summary,task_type}' = %(task_type)s)
    AND (%(project)s::text IS NULL OR s.project = %(project)s)
    AND (%(segments)s::uuid[] IS NULL OR t.id = ANY(%(segments)s))
    AND (t.session_id, t.segment_index) > (%(after_session)s, %(after_index)s)
ORDER BY t.session_id, t.segment_index
LIMIT %(limit)s;

-- name: messages_of_segments
-- Messages of many segments at once, each by where it begins in its session, else in its thread; and the system prompt
-- that its thread opened with, where another segment has it.
WITH wanted AS (
    SELECT segment_id, session_id, thread, size, coalesce(seq, (SELECT m.seq FROM messages m
        WHERE m.session_id = w.session_id AND m.thread = w.thread ORDER BY m.seq OFFSET w.position LIMIT 1)) AS begin
    FROM unnest(%(ids)s::uuid[], %(sessions)s::uuid[], %(threads)s::text[], %(seqs)s::int[], %(positions)s::int[],
        %(sizes)s::int[]) AS w(segment_id, session_id, thread, seq, position, size)
)
SELECT w.segment_id, m.seq < w.begin AS opening, m.* FROM wanted w CROSS JOIN LATERAL (
    SELECT * FROM (SELECT * FROM messages o WHERE o.session_id = w.session_id AND o.account_id = %(account_id)s
        AND o.thread = w.thread ORDER BY o.seq LIMIT 1) first
    WHERE first.seq < w.begin AND first.role = 'system'
    UNION ALL
    (SELECT * FROM messages o WHERE o.session_id = w.session_id AND o.account_id = %(account_id)s
        AND o.thread = w.thread AND o.seq >= w.begin ORDER BY o.seq LIMIT w.size)
) m
ORDER BY w.segment_id, m.seq;

-- name: tools_of_sessions
-- The tool schemas that each session's log declares.
SELECT id, tools FROM sessions WHERE account_id = %(account_id)s AND id = ANY(%(sessions)s::uuid[]);

-- name: segment
-- One segment by its id.
SELECT * FROM task_segments WHERE account_id = %(account_id)s AND id = %(segment_id)s;

-- name: holding
-- The datasets that hold a segment.
SELECT e.name, e.version, e.path, r.split FROM sft_export_rows r JOIN sft_exports e ON e.id = r.export_id
WHERE r.account_id = %(account_id)s AND r.segment_id = %(segment_id)s
ORDER BY e.created_at DESC;

-- name: recall_cleaned
-- What was cleaned of these segments, where texts and rules are still the same.
SELECT c.segment_id, c.cleaned FROM unnest(%(ids)s::uuid[], %(digests)s::bytea[]) AS w(segment_id, digest)
JOIN sft_cleaned c USING (segment_id) WHERE c.account_id = %(account_id)s AND c.digest = w.digest;

-- name: remember_cleaned
-- In place of what was cleaned of these segments before; segments that are gone by now are left out.
INSERT INTO sft_cleaned (segment_id, account_id, digest, cleaned)
SELECT w.segment_id, t.account_id, w.digest, w.cleaned
FROM unnest(%(ids)s::uuid[], %(digests)s::bytea[], %(cleaned)s::bytea[]) AS w(segment_id, digest, cleaned)
JOIN task_segments t ON t.id = w.segment_id AND t.account_id = %(account_id)s
ON CONFLICT (segment_id) DO UPDATE SET digest = EXCLUDED.digest, cleaned = EXCLUDED.cleaned;

-- name: recall_drafted
-- What was drafted of these segments, where log, label and rules are still the same.
SELECT d.segment_id, d.drafted, d.keys, d.shingles
FROM unnest(%(ids)s::uuid[], %(digests)s::bytea[]) AS w(segment_id, digest)
JOIN sft_drafted d USING (segment_id) WHERE d.account_id = %(account_id)s AND d.digest = w.digest;

-- name: remember_drafted
-- In place of what was drafted of these segments before; segments that are gone by now are left out.
INSERT INTO sft_drafted (segment_id, account_id, digest, drafted, keys, shingles)
SELECT w.segment_id, t.account_id, w.digest, w.drafted, w.keys, w.shingles
FROM unnest(%(ids)s::uuid[], %(digests)s::bytea[], %(drafted)s::bytea[], %(keys)s::bytea[], %(shingles)s::bytea[])
    AS w(segment_id, digest, drafted, keys, shingles)
JOIN task_segments t ON t.id = w.segment_id AND t.account_id = %(account_id)s
ON CONFLICT (segment_id) DO UPDATE
SET digest = EXCLUDED.digest, drafted = EXCLUDED.drafted, keys = EXCLUDED.keys, shingles = EXCLUDED.shingles;

-- name: projects_of
-- Project, or else agent, of each segment in the datasets with this content.
SELECT DISTINCT r.segment_id, coalesce(s.project, r.agent_id) AS project
FROM sft_exports e JOIN sft_export_rows r ON r.export_id = e.id LEFT JOIN sessions s ON s.id = r.session_id
WHERE e.account_id = %(account_id)s AND e.content_hash = %(content_hash)s;
