-- name: latest
-- The newest generation of one file.
SELECT * FROM sessions
WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s
ORDER BY generation DESC LIMIT 1;

-- name: latest_for_update
-- The same, locked against another writer of this file.
SELECT * FROM sessions
WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s
ORDER BY generation DESC LIMIT 1
FOR UPDATE;

-- name: lock_file
-- One writer a file at a time, also before its first row exists.
SELECT pg_advisory_xact_lock(
    hashtextextended('session:' || %(account_id)s || '/' || %(agent_id)s || '/' || %(session_file)s, 0));

-- name: insert
-- A new file, or a new generation of one.
INSERT INTO sessions (
    id, account_id, agent_id, session_file, generation, partition_key, content_sha256, bytes, format, harness,
    harness_version, cwd, tools, model, started_at, ended_at, changed_at, lines, message_count, status, error,
    brought_by, parser_version, project, project_remote, private_root, log_id, created_at, updated_at)
VALUES (
    %(id)s, %(account_id)s, %(agent_id)s, %(session_file)s, %(generation)s, %(partition_key)s,
    %(content_sha256)s, %(bytes)s, %(format)s, %(harness)s, %(harness_version)s, %(cwd)s, %(tools)s, %(model)s,
    %(started_at)s, %(ended_at)s, %(changed_at)s, %(lines)s, %(message_count)s, %(status)s, %(error)s,
    %(brought_by)s, %(parser_version)s, %(project)s, %(project_remote)s, %(private_root)s, %(log_id)s, %(now)s, %(now)s);

-- name: update
-- The file has other bytes: everything is to be segmented and reported again.
UPDATE sessions SET
    content_sha256 = %(content_sha256)s, bytes = %(bytes)s, format = %(format)s, harness = %(harness)s,
    harness_version = %(harness_version)s, cwd = %(cwd)s, tools = %(tools)s, model = %(model)s,
    started_at = %(started_at)s, ended_at = %(ended_at)s, changed_at = %(changed_at)s, lines = %(lines)s,
    message_count = %(message_count)s, status = %(status)s, error = %(error)s,
    parser_version = %(parser_version)s, project = %(project)s, project_remote = %(project_remote)s,
    private_root = %(private_root)s, log_id = %(log_id)s, brought_by = coalesce(%(brought_by)s, brought_by), segmented = 0, attempts = 0, next_try = NULL,
    windowed = NULL, window_attempts = 0, window_next_try = NULL, reported = false, is_over = false,
    updated_at = %(now)s
WHERE id = %(id)s;

-- name: mark_brought
-- A key sent this log in, whoever read it first.
UPDATE sessions SET brought_by = %(brought_by)s
WHERE account_id = %(account_id)s AND partition_key = %(partition_key)s AND brought_by IS NULL;

-- name: mark_over
-- The harness says that these sessions end here.
UPDATE sessions SET is_over = true
WHERE account_id = %(account_id)s AND NOT is_over AND (partition_key, content_sha256)
    IN (SELECT * FROM unnest(%(keys)s::text[], %(sha256s)s::text[]));

-- name: mark_failed
-- The file cannot be read now; what was read before stays as it is.
UPDATE sessions SET status = 'failed', error = %(error)s, content_sha256 = %(content_sha256)s,
    reported = false, updated_at = %(now)s
WHERE id = %(id)s AND (status, error, content_sha256)
    IS DISTINCT FROM ('failed', %(error)s, %(content_sha256)s);

-- name: mark_ok
-- The file is back as it was.
UPDATE sessions SET error = NULL, updated_at = %(now)s,
    status = CASE WHEN message_count = 0 AND coalesce((lines ->> 'total')::bigint, 0) > 0
    THEN 'empty' ELSE 'ok' END
WHERE id = %(id)s AND status NOT IN ('ok', 'empty');

-- name: mark_source_missing
-- The files are gone from the drop folder; nothing is archived.
UPDATE sessions SET status = 'source_missing', updated_at = %(now)s
WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = ANY(%(session_files)s)
    AND status IN ('ok', 'empty');

-- name: rename
-- The same log under another name keeps its rows; one that is back is what `mark_ok` makes of it.
WITH moved AS (
    UPDATE sessions SET session_file = %(new_file)s, updated_at = %(now)s,
        status = CASE WHEN status <> 'source_missing' THEN status
            WHEN message_count = 0 AND coalesce((lines ->> 'total')::bigint, 0) > 0 THEN 'empty' ELSE 'ok' END
    WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(old_file)s
    RETURNING id
), archived AS (
    UPDATE raw_uploads SET session_file = %(new_file)s
    WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(old_file)s
        AND EXISTS (SELECT FROM moved)
), known AS (
    UPDATE outcomes SET session_file = %(new_file)s
    WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(old_file)s
        AND EXISTS (SELECT FROM moved)
)
UPDATE task_segments SET session_file = %(new_file)s
WHERE session_id IN (SELECT id FROM moved);

-- name: rename_candidates
-- Sessions with these bytes, of this log's own id, or of this very file (an inode is one only on its device), the file's
-- own first; with the path their file was read from, part of the private log.
WITH candidates AS (
    SELECT id FROM sessions WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s
        AND content_sha256 = %(content_sha256)s
    UNION
    SELECT id FROM sessions WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND log_id = %(log_id)s
    UNION
    SELECT s.id FROM source_files f JOIN sessions s USING (account_id, agent_id, session_file)
    WHERE f.account_id = %(account_id)s AND f.agent_id = %(agent_id)s AND f.inode = %(inode)s AND f.device = %(device)s
)
SELECT s.*, f.private_path
FROM candidates
JOIN sessions s USING (id)
JOIN source_files f USING (account_id, agent_id, session_file)
WHERE s.session_file <> %(session_file)s AND f.private_path IS NOT NULL
ORDER BY coalesce((f.device, f.inode) = (%(device)s, %(inode)s), false) DESC,
    s.content_sha256 = %(content_sha256)s DESC, s.generation DESC, s.updated_at DESC;

-- name: partition_key_owner
-- Which file holds this partition key.
SELECT agent_id, session_file FROM sessions
WHERE account_id = %(account_id)s AND partition_key = %(partition_key)s LIMIT 1;

-- name: delete_messages_from
-- Messages from this position on.
DELETE FROM messages WHERE session_id = %(session_id)s AND seq >= %(seq)s;

-- name: copy_messages
-- Bulk load.
COPY messages (session_id, seq, account_id, agent_id, thread, start_line, end_line, role, origin, content,
    tool_calls, tool_call_id, name, is_error, reasoning, parts, model, usage, sent_at, source_uuid, digest)
FROM STDIN;

-- name: digests
-- Fingerprints of the single messages, with where they stand.
SELECT digest, thread, start_line, end_line FROM messages WHERE session_id = %(session_id)s ORDER BY seq;

-- name: sizes
-- How much each message says; system prompts are the same in every log and say nothing about identity.
SELECT digest, length(content) + coalesce(length(tool_calls::text), 0) AS size FROM messages
WHERE session_id = %(session_id)s AND role <> 'system';

-- name: messages
-- Messages of some sessions in file order.
SELECT * FROM messages WHERE session_id = ANY(%(ids)s) AND account_id = %(account_id)s ORDER BY session_id, seq;

-- name: thread_messages
-- The next `most` messages of one thread from one on: by its place in the session, else by its position in the thread.
SELECT * FROM messages
WHERE session_id = %(session_id)s AND account_id = %(account_id)s AND thread = %(thread)s
    AND seq >= coalesce(%(seq)s::integer, (SELECT seq FROM messages
        WHERE session_id = %(session_id)s AND thread = %(thread)s ORDER BY seq OFFSET %(position)s LIMIT 1))
ORDER BY seq LIMIT %(most)s;

-- name: places
-- The thread of each message of a session, in file order.
SELECT seq, thread FROM messages WHERE session_id = %(session_id)s AND account_id = %(account_id)s ORDER BY seq;

-- name: messages_at
-- Some messages of a session in file order.
SELECT * FROM messages
WHERE session_id = %(session_id)s AND account_id = %(account_id)s AND seq = ANY(%(seqs)s::integer[]) ORDER BY seq;

-- name: system_prompt
-- What a session was told first: in this thread, else in any.
SELECT content FROM messages
WHERE session_id = %(session_id)s AND account_id = %(account_id)s AND role = 'system' AND content <> ''
ORDER BY thread <> %(thread)s, seq LIMIT 1;

-- name: to_segment
-- Sessions whose messages are not cut yet, untried ones first, then oldest. For a model, which is paid for, a log that
-- still grows waits until it is quiet or was rotated away. The condition is the one of `stats`.
SELECT * FROM sessions s
WHERE account_id = %(account_id)s AND segmented = 0 AND status <> 'failed'
    AND (%(keys)s::text[] IS NULL OR partition_key = ANY(%(keys)s))
    AND attempts < %(max_attempts)s AND NOT id = ANY(%(tried)s::uuid[])
    AND (%(quiet_since)s::timestamptz IS NULL OR changed_at <= %(quiet_since)s OR is_over
        OR EXISTS (SELECT 1 FROM sessions n WHERE n.account_id = s.account_id AND n.agent_id = s.agent_id
            AND n.session_file = s.session_file AND n.generation > s.generation))
    AND NOT EXISTS (SELECT FROM leases l WHERE l.row_id = s.id AND l.stage = 'segments'
        AND l.expires_at > clock_timestamp())
ORDER BY next_try NULLS FIRST, created_at, partition_key, generation
LIMIT %(batch_size)s FOR UPDATE SKIP LOCKED;

-- name: mark_segmented
-- Done for exactly these bytes, and only if nobody was faster.
UPDATE sessions SET segmented = 1, segmenter = %(segmenter)s, attempts = 0, next_try = NULL, error = NULL,
    updated_at = %(now)s
WHERE id = %(session_id)s AND content_sha256 = %(content_sha256)s AND segmented = 0;

-- name: segment_failed
-- Not now. A failure of the row is an attempt, a failure of the endpoint is not.
UPDATE sessions SET error = %(error)s, next_try = %(next_try)s, updated_at = %(now)s,
    attempts = attempts + CASE WHEN %(transient)s THEN 0 ELSE 1 END
WHERE id = %(id)s;

-- name: to_window
-- Sessions whose windows are not those of this layout and model, untried ones first, then oldest. The condition is the
-- one of `stats`.
SELECT * FROM sessions s
WHERE account_id = %(account_id)s AND windowed IS DISTINCT FROM %(windows)s AND message_count > 0
    AND (%(keys)s::text[] IS NULL OR partition_key = ANY(%(keys)s))
    AND window_attempts < %(max_attempts)s AND NOT id = ANY(%(tried)s::uuid[])
    AND NOT EXISTS (SELECT FROM leases l WHERE l.row_id = s.id AND l.stage = 'message_windows'
        AND l.expires_at > clock_timestamp())
ORDER BY window_next_try NULLS FIRST, created_at, partition_key, generation
LIMIT %(batch_size)s FOR UPDATE SKIP LOCKED;

-- name: mark_windowed
-- Done for exactly these bytes; the model is left out where it has still to give vectors. An error that segmentation or
-- reading left stays.
UPDATE sessions s SET windowed = %(windows)s, window_attempts = 0, window_next_try = NULL,
    error = CASE WHEN s.status = 'failed' OR s.segmented = 0 AND (s.attempts > 0 OR s.next_try IS NOT NULL) THEN s.error END
FROM unnest(%(ids)s::uuid[], %(contents)s::text[]) AS made(id, content_sha256)
WHERE s.id = made.id AND s.content_sha256 = made.content_sha256 AND s.windowed IS DISTINCT FROM %(windows)s;

-- name: window_failed
-- Not now. A failure of the row is an attempt, a failure of the endpoint is not.
UPDATE sessions SET window_attempts = window_attempts + CASE WHEN %(transient)s THEN 0 ELSE 1 END,
    window_next_try = %(next_try)s, error = %(error)s, updated_at = %(now)s
WHERE id = %(id)s;

-- name: known_projects
-- Projects of the account, each root and remote once.
SELECT project AS name, private_root AS root, coalesce(project_remote, '') AS remote FROM sessions
WHERE account_id = %(account_id)s AND project IS NOT NULL
GROUP BY 1, 2, 3 ORDER BY min(created_at), 1, 3;

-- name: keys_of_project
-- The partitions of one project.
SELECT DISTINCT partition_key FROM sessions WHERE account_id = %(account_id)s AND project = %(project)s;

-- name: listing
-- Sessions with their counts, those of one's own project first, newest first; the private folder is not shown.
SELECT s.id, s.agent_id, s.session_file, s.partition_key, s.status, s.error, s.format, s.harness, s.harness_version,
    s.model, s.cwd, s.project, s.project_remote, s.started_at, s.ended_at, s.changed_at, s.created_at, s.bytes, s.lines,
    s.message_count, s.segmented, s.is_over, s.parser_version, s.segmenter, count(t.id) AS segments, count(t.id) FILTER (WHERE t.labeled = 1) AS labeled,
    (SELECT count(DISTINCT ms.memory_id) FROM memory_sources ms WHERE ms.session_id = s.id) AS memories
FROM sessions s
LEFT JOIN task_segments t ON t.session_id = s.id
WHERE s.account_id = %(account_id)s AND (%(agent_id)s::text IS NULL OR s.agent_id = %(agent_id)s)
    AND (%(only)s::text IS NULL OR s.project = %(only)s)
GROUP BY s.id
ORDER BY coalesce(s.project = %(first)s::text, false) DESC, s.changed_at DESC, s.partition_key
LIMIT %(limit)s;

-- name: unreported
-- Partitions whose newest content Dagster has not heard of.
SELECT partition_key, content_sha256, parser_version, status, agent_id, session_file
FROM sessions
WHERE account_id = %(account_id)s AND NOT reported
ORDER BY created_at, partition_key
LIMIT %(limit)s;

-- name: mark_reported
-- Dagster has an event for this content, by its data version (see `session_data_version`), and so for what was there
-- before. What came since is still to be reported.
UPDATE sessions s SET reported = true
FROM unnest(%(keys)s::text[], %(versions)s::text[]) AS told(key, version)
WHERE s.account_id = %(account_id)s AND s.partition_key = told.key AND NOT s.reported
    AND (left(encode(sha256(convert_to(s.content_sha256 || E'\n' || s.parser_version, 'UTF8')), 'hex'), 32) = told.version
        OR EXISTS (SELECT 1 FROM sessions n WHERE n.account_id = s.account_id AND n.agent_id = s.agent_id
            AND n.session_file = s.session_file AND n.generation > s.generation));

-- name: insert_blob
-- Bytes once; a second upload of the same bytes only counts.
INSERT INTO raw_blobs (sha256, bytes, body, refs, created_at)
VALUES (%(sha256)s, %(bytes)s, %(body)s, 1, %(now)s)
ON CONFLICT (sha256) DO UPDATE SET refs = raw_blobs.refs + 1;

-- name: insert_upload
-- One row an ingest.
INSERT INTO raw_uploads (id, account_id, agent_id, kind, session_file, path, sha256, bytes, stored, status,
    created_at)
VALUES (%(id)s, %(account_id)s, %(agent_id)s, %(kind)s, %(session_file)s, %(path)s, %(sha256)s, %(bytes)s,
    %(stored)s, %(status)s, %(now)s);

-- name: pending_texts
-- Texts whose memories are not out yet.
SELECT u.*, b.body FROM raw_uploads u JOIN raw_blobs b USING (sha256)
WHERE u.account_id = %(account_id)s AND u.kind = 'ingest_text' AND u.status = 'pending'
    AND u.attempts < %(max_attempts)s AND NOT u.id = ANY(%(tried)s::uuid[])
    AND NOT EXISTS (SELECT FROM leases l WHERE l.row_id = u.id AND l.stage = 'ingest_text'
        AND l.expires_at > clock_timestamp())
ORDER BY u.next_try NULLS FIRST, u.created_at LIMIT %(batch_size)s FOR UPDATE OF u SKIP LOCKED;

-- name: text_done
-- The memories of this text are stored.
UPDATE raw_uploads SET status = 'done', error = NULL, next_try = NULL WHERE id = %(id)s;

-- name: text_failed
-- Not now, as for sessions.
UPDATE raw_uploads SET error = %(error)s, next_try = %(next_try)s,
    attempts = attempts + CASE WHEN %(transient)s THEN 0 ELSE 1 END
WHERE id = %(id)s;

-- name: stats
-- How many sessions wait, and for what; with `due`, only what is to be tried by then. `growing` ones wait for quiet.
SELECT count(*) AS total,
    count(*) FILTER (WHERE segmented = 0 AND status <> 'failed' AND attempts < %(max_attempts)s
        AND is_quiet AND coalesce(next_try <= %(due)s, true)) AS to_segment,
    count(*) FILTER (WHERE segmented = 0 AND status <> 'failed' AND NOT is_quiet) AS growing,
    count(*) FILTER (WHERE windowed IS DISTINCT FROM %(windows)s AND message_count > 0
        AND window_attempts < %(max_attempts)s AND coalesce(window_next_try <= %(due)s, true)) AS to_window,
    count(*) FILTER (WHERE segmented = 0 AND status <> 'failed' AND attempts >= %(max_attempts)s
        OR window_attempts >= %(max_attempts)s) AS exhausted,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    count(*) FILTER (WHERE status = 'source_missing') AS source_missing,
    coalesce(sum(message_count), 0)::bigint AS messages
FROM (
    SELECT *, (%(quiet_since)s::timestamptz IS NULL OR changed_at <= %(quiet_since)s OR is_over
        OR EXISTS (SELECT 1 FROM sessions n WHERE n.account_id = s.account_id AND n.agent_id = s.agent_id
            AND n.session_file = s.session_file AND n.generation > s.generation)) AS is_quiet
    FROM sessions s WHERE account_id = %(account_id)s AND (%(project)s::text IS NULL OR project = %(project)s)
) t;

-- name: failed
-- Sessions left failed, and files of which nothing could be read, for the daily check.
SELECT partition_key, error, attempts FROM sessions
WHERE account_id = %(account_id)s AND (status = 'failed' OR attempts >= %(max_attempts)s
    OR window_attempts >= %(max_attempts)s OR (segmented = 0 AND next_try IS NOT NULL))
UNION ALL
SELECT partition_key, error, attempts FROM source_files f
WHERE account_id = %(account_id)s AND state = 'failed' AND NOT EXISTS (SELECT 1 FROM sessions s
    WHERE (s.account_id, s.agent_id, s.session_file) = (f.account_id, f.agent_id, f.session_file) AND s.status = 'failed')
ORDER BY partition_key LIMIT %(limit)s;

-- name: pending_texts_count
-- Texts that wait; with `due`, only what is to be tried by then.
SELECT count(*) FILTER (WHERE attempts < %(max_attempts)s AND coalesce(next_try <= %(due)s, true)) AS waiting,
    count(*) FILTER (WHERE attempts >= %(max_attempts)s) AS exhausted
FROM raw_uploads WHERE account_id = %(account_id)s AND kind = 'ingest_text' AND status = 'pending';

-- name: retry
-- What used up its tries is tried again.
UPDATE sessions SET attempts = CASE WHEN segmented = 0 THEN 0 ELSE attempts END, window_attempts = 0,
    next_try = NULL, window_next_try = NULL, updated_at = %(now)s
WHERE account_id = %(account_id)s
    AND (segmented = 0 AND attempts >= %(max_attempts)s OR window_attempts >= %(max_attempts)s);

-- name: retry_texts
-- The same for texts.
UPDATE raw_uploads SET attempts = 0, next_try = NULL
WHERE account_id = %(account_id)s AND status = 'pending' AND attempts >= %(max_attempts)s;
