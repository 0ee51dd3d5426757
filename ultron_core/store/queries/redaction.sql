-- Stored rows redacted again when the rules change: read in chunks by key, written back as one statement a chunk.

-- name: state
-- How far each table is with this version.
SELECT * FROM redaction_replays WHERE account_id = %(account_id)s AND version = %(version)s;

-- name: reach
-- A chunk is done; in the transaction that wrote it.
INSERT INTO redaction_replays AS r (account_id, place, version, reached, rows_read, rows_changed, finished, updated_at)
VALUES (%(account_id)s, %(place)s, %(version)s, %(reached)s, %(read)s, %(changed)s, %(finished)s, %(now)s)
ON CONFLICT (account_id, place, version) DO UPDATE SET
    reached = coalesce(excluded.reached, r.reached), rows_read = r.rows_read + excluded.rows_read,
    rows_changed = r.rows_changed + excluded.rows_changed, finished = excluded.finished,
    updated_at = excluded.updated_at;

-- name: restart
-- Every table is to be read again.
DELETE FROM redaction_replays WHERE account_id = %(account_id)s AND version = %(version)s;

-- name: counts
-- Rows of each table, for the progress bar.
SELECT 'memories' AS place, count(*) AS rows FROM memories WHERE account_id = %(account_id)s
UNION ALL SELECT 'memory_sources', count(*) FROM memory_sources WHERE account_id = %(account_id)s
UNION ALL SELECT 'memory_contributions', count(*) FROM memory_contributions WHERE account_id = %(account_id)s
UNION ALL SELECT 'merge_decisions', count(*) FROM merge_decisions WHERE account_id = %(account_id)s
UNION ALL SELECT 'task_segments', count(*) FROM task_segments WHERE account_id = %(account_id)s
UNION ALL SELECT 'drops', count(*) FROM drops WHERE account_id = %(account_id)s
UNION ALL SELECT 'clusters', count(*) FROM clusters WHERE account_id = %(account_id)s
UNION ALL SELECT 'cluster_changes', count(*) FROM cluster_changes WHERE account_id = %(account_id)s
UNION ALL SELECT 'sessions', count(*) FROM sessions WHERE account_id = %(account_id)s
UNION ALL SELECT 'memory_links', count(*) FROM memory_links WHERE account_id = %(account_id)s
UNION ALL SELECT 'source_files', count(*) FROM source_files WHERE account_id = %(account_id)s
UNION ALL SELECT 'llm_calls', count(*) FROM llm_calls WHERE account_id = %(account_id)s;

-- name: read_memories
-- The next memories that were not written by this version; the caller holds the locks of all types.
SELECT id::text AS key, memory_type, status, content, context, resolution, tags, summary_l0, overview_l1
FROM memories
WHERE account_id = %(account_id)s AND redaction_version <> %(version)s
    AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_memories
-- Their clean texts; the vectors of changed words go by themselves.
UPDATE memories m SET content = v.content, context = v.context, resolution = v.resolution, tags = v.tags,
    summary_l0 = v.summary_l0, overview_l1 = v.overview_l1, body_sha256 = v.body_sha256,
    redaction_version = %(version)s, updated_at = CASE WHEN v.changed THEN %(now)s ELSE m.updated_at END
FROM jsonb_to_recordset(%(rows)s) AS v(key uuid, content text, context text, resolution text, tags text[],
    summary_l0 text, overview_l1 text, body_sha256 text, changed boolean)
WHERE m.id = v.key AND m.account_id = %(account_id)s;

-- name: memory_types
-- The types whose writers must wait.
SELECT DISTINCT memory_type FROM memories WHERE account_id = %(account_id)s ORDER BY 1;

-- name: old_exports
-- Datasets whose rows were redacted with other rules.
SELECT path FROM sft_exports
WHERE account_id = %(account_id)s AND created_at < %(before)s ORDER BY created_at, path;

-- name: read_memory_sources
-- The next rows by key.
SELECT id::text AS key, quote
FROM memory_sources
WHERE account_id = %(account_id)s
    AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_memory_sources
-- Their clean texts.
UPDATE memory_sources t SET quote = v.quote
FROM jsonb_to_recordset(%(rows)s) AS v(key uuid, quote text)
WHERE t.id = v.key AND t.account_id = %(account_id)s;

-- name: read_memory_contributions
-- The next rows by key.
SELECT id::text AS key, content, context, resolution, tags
FROM memory_contributions
WHERE account_id = %(account_id)s
    AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_memory_contributions
-- Their clean texts.
UPDATE memory_contributions t SET content = v.content, context = v.context, resolution = v.resolution, tags = v.tags
FROM jsonb_to_recordset(%(rows)s) AS v(key uuid, content text, context text, resolution text, tags text[])
WHERE t.id = v.key AND t.account_id = %(account_id)s;

-- name: read_merge_decisions
-- The next rows by key.
SELECT id::text AS key, reason, body_before
FROM merge_decisions
WHERE account_id = %(account_id)s
    AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_merge_decisions
-- Their clean texts.
UPDATE merge_decisions t SET reason = v.reason, body_before = v.body_before
FROM jsonb_to_recordset(%(rows)s) AS v(key uuid, reason text, body_before jsonb)
WHERE t.id = v.key AND t.account_id = %(account_id)s;

-- name: read_task_segments
-- The next rows by key.
SELECT id::text AS key, topic, quality_metrics, label_error, extract_error, repair
FROM task_segments
WHERE account_id = %(account_id)s
    AND redaction_version <> %(version)s
    AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_task_segments
-- Their clean texts.
UPDATE task_segments t SET topic = v.topic, quality_metrics = v.quality_metrics, label_error = v.label_error, extract_error = v.extract_error, repair = v.repair, redaction_version = %(version)s
FROM jsonb_to_recordset(%(rows)s) AS v(key uuid, topic text, quality_metrics jsonb, label_error text, extract_error text, repair text)
WHERE t.id = v.key AND t.account_id = %(account_id)s;

-- name: read_drops
-- The next rows by key.
SELECT id::text AS key, detail, payload
FROM drops
WHERE account_id = %(account_id)s
    AND (%(after)s::bigint IS NULL OR id > %(after)s::bigint)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_drops
-- Their clean texts.
UPDATE drops t SET detail = v.detail, payload = v.payload
FROM jsonb_to_recordset(%(rows)s) AS v(key bigint, detail text, payload jsonb)
WHERE t.id = v.key AND t.account_id = %(account_id)s;

-- name: read_clusters
-- The next rows by key.
SELECT cluster_id::text AS key, topic
FROM clusters
WHERE account_id = %(account_id)s
    AND (%(after)s::uuid IS NULL OR cluster_id > %(after)s::uuid)
ORDER BY cluster_id LIMIT %(limit)s FOR UPDATE;

-- name: write_clusters
-- Their clean texts.
UPDATE clusters t SET topic = v.topic
FROM jsonb_to_recordset(%(rows)s) AS v(key uuid, topic text)
WHERE t.cluster_id = v.key AND t.account_id = %(account_id)s;

-- name: read_cluster_changes
-- The next rows by key.
SELECT id::text AS key, reason
FROM cluster_changes
WHERE account_id = %(account_id)s
    AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_cluster_changes
-- Their clean texts.
UPDATE cluster_changes t SET reason = v.reason
FROM jsonb_to_recordset(%(rows)s) AS v(key uuid, reason text)
WHERE t.id = v.key AND t.account_id = %(account_id)s;

-- name: read_sessions
-- The next rows by key.
SELECT id::text AS key, cwd, tools, error
FROM sessions
WHERE account_id = %(account_id)s
    AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_sessions
-- Their clean texts.
UPDATE sessions t SET cwd = v.cwd, tools = v.tools, error = v.error
FROM jsonb_to_recordset(%(rows)s) AS v(key uuid, cwd text, tools jsonb, error text)
WHERE t.id = v.key AND t.account_id = %(account_id)s;

-- name: read_memory_links
-- The next rows by key.
SELECT (from_id::text || '/' || to_id || '/' || kind) AS key, reason
FROM memory_links
WHERE account_id = %(account_id)s
    AND (%(after)s::text IS NULL OR (from_id::text || '/' || to_id || '/' || kind) > %(after)s::text)
ORDER BY (from_id::text || '/' || to_id || '/' || kind) LIMIT %(limit)s FOR UPDATE;

-- name: write_memory_links
-- Their clean texts.
UPDATE memory_links t SET reason = v.reason
FROM jsonb_to_recordset(%(rows)s) AS v(key text, reason text)
WHERE (t.from_id::text || '/' || t.to_id || '/' || t.kind) = v.key AND t.account_id = %(account_id)s;

-- name: read_source_files
-- The next rows by key.
SELECT (agent_id || '/' || session_file) COLLATE "C" AS key, path, error
FROM source_files
WHERE account_id = %(account_id)s
    AND (%(after)s::text IS NULL OR (agent_id || '/' || session_file) COLLATE "C" > %(after)s::text)
ORDER BY (agent_id || '/' || session_file) COLLATE "C" LIMIT %(limit)s FOR UPDATE;

-- name: write_source_files
-- Their clean texts.
UPDATE source_files t SET path = v.path, error = v.error
FROM jsonb_to_recordset(%(rows)s) AS v(key text, path text, error text)
WHERE (t.agent_id || '/' || t.session_file) COLLATE "C" = v.key AND t.account_id = %(account_id)s;

-- name: read_llm_calls
-- The next rows by key.
SELECT id::text AS key, error
FROM llm_calls
WHERE account_id = %(account_id)s
    AND (%(after)s::bigint IS NULL OR id > %(after)s::bigint)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: write_llm_calls
-- Their clean texts.
UPDATE llm_calls t SET error = v.error
FROM jsonb_to_recordset(%(rows)s) AS v(key bigint, error text)
WHERE t.id = v.key AND t.account_id = %(account_id)s;
