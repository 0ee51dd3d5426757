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

-- name: count
-- Rows of one table, for the progress bar.
SELECT count(*) AS rows FROM {table} WHERE account_id = %(account_id)s;

-- name: read_memories
-- The next memories that were not written by this version; the caller holds the locks of all types.
SELECT id::text AS key, memory_type, status, content, context, resolution, tags, summary_l0, overview_l1, needs_model
FROM memories
WHERE account_id = %(account_id)s AND redaction_version <> %(version)s
    AND (%(after)s::uuid IS NULL OR id > %(after)s::uuid)
ORDER BY id LIMIT %(limit)s FOR UPDATE;

-- name: old_exports
-- Datasets whose rows were redacted with other rules.
SELECT path FROM sft_exports
WHERE account_id = %(account_id)s AND created_at < %(before)s ORDER BY created_at, path;

-- name: read
-- The next rows of one table by key.
SELECT ({key})::text AS key, {columns} FROM {table}
WHERE account_id = %(account_id)s AND (%(after)s::{key_type} IS NULL OR {key} > %(after)s::{key_type}) {unread}
ORDER BY {key} LIMIT %(limit)s FOR UPDATE;

-- name: unread
-- Of a table that names the version its rows were redacted with.
AND redaction_version <> %(version)s;

-- name: write
-- Their clean texts.
UPDATE {table} SET {changes} FROM jsonb_to_recordset(%(rows)s) AS v(key {key_type}, {types})
WHERE {key} = v.key AND account_id = %(account_id)s;
