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
