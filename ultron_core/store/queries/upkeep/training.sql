-- name: insert
-- A run that begins.
INSERT INTO training_runs (id, account_id, name, status, base, base_hash, parent_id, dataset, dataset_hash, settings,
    seed, device, path, started_at)
VALUES (%(id)s, %(account_id)s, %(name)s, 'running', %(base)s, %(base_hash)s, %(parent_id)s, %(dataset)s,
    %(dataset_hash)s, %(settings)s, %(seed)s, %(device)s, %(path)s, %(now)s);

-- name: finish
-- It ended with an adapter; nothing when that is known already.
UPDATE training_runs SET status = 'finished', report = %(report)s, promoted = %(promoted)s, ended_at = %(now)s
WHERE account_id = %(account_id)s AND id = %(id)s AND status = 'running';

-- name: insert_fates
-- What became of its rows, each with the session that the export took it from, where that is known.
INSERT INTO training_rows (run_id, account_id, content_sha256, group_key, fate, session_id)
SELECT %(id)s, %(account_id)s, w.content, w.group_key, w.fate, e.session_id
FROM unnest(%(contents)s::text[], %(groups)s::text[], %(fates)s::text[], %(segments)s::uuid[])
    AS w(content, group_key, fate, segment_id)
LEFT JOIN LATERAL (
    SELECT r.session_id FROM sft_export_rows r
    WHERE r.segment_id = w.segment_id AND r.account_id = %(account_id)s LIMIT 1
) e ON true;

-- name: stop
-- It ended without an adapter.
UPDATE training_runs SET status = 'stopped', error = %(error)s, ended_at = %(now)s
WHERE account_id = %(account_id)s AND id = %(id)s AND status = 'running';

-- name: listing
-- All runs, newest first.
SELECT t.*, p.name AS parent,
    (SELECT count(*) FROM training_rows r WHERE r.run_id = t.id AND r.fate = 'train') AS rows
FROM training_runs t LEFT JOIN training_runs p ON p.id = t.parent_id
WHERE t.account_id = %(account_id)s AND (%(name)s::text IS NULL OR t.name = %(name)s)
ORDER BY t.started_at DESC, t.name;

-- name: unended
-- Runs that nobody ended.
SELECT * FROM training_runs WHERE account_id = %(account_id)s AND status = 'running';

-- name: parent
-- The adapter to go on from: the newest promoted one of this base that no erased row was trained into.
SELECT * FROM training_runs
WHERE account_id = %(account_id)s AND base_hash = %(base_hash)s AND promoted AND tainted_at IS NULL
ORDER BY ended_at DESC LIMIT 1;

-- name: known
-- What finished runs did with each content: its side of the split in any of them, whether this base has seen it, and
-- whether the adapter to go on from was trained on it, or one before.
WITH RECURSIVE lineage AS (
    SELECT t.id, t.parent_id FROM training_runs t WHERE t.id = %(parent_id)s AND t.account_id = %(account_id)s
    UNION ALL
    SELECT t.id, t.parent_id FROM training_runs t JOIN lineage l ON t.id = l.parent_id
)
SELECT r.content_sha256, r.group_key,
    bool_or(r.fate = 'train') AS trained,
    bool_or(r.fate = 'validation') AS validated,
    bool_or(t.base_hash = %(base_hash)s AND t.tainted_at IS NULL
        AND (r.fate = 'train' OR r.fate = 'too_long' AND (t.settings ->> 'max_length')::int >= %(max_length)s)) AS seen,
    bool_or(r.fate = 'train' AND l.id IS NOT NULL) AS taught
FROM training_rows r JOIN training_runs t ON t.id = r.run_id LEFT JOIN lineage l ON l.id = r.run_id
WHERE r.account_id = %(account_id)s AND t.status = 'finished'
GROUP BY r.content_sha256, r.group_key;

-- name: erased
-- Of these contents those that exports took from sessions that are all gone.
SELECT r.content_sha256 FROM sft_export_rows r LEFT JOIN sessions s ON s.id = r.session_id
WHERE r.account_id = %(account_id)s AND r.content_sha256 = ANY(%(contents)s) AND r.session_id IS NOT NULL
GROUP BY r.content_sha256 HAVING bool_and(s.id IS NULL);

-- name: taint
-- Marks every adapter that was trained on a row whose session is gone, and those that go on from one.
WITH RECURSIVE hit AS (
    SELECT t.id FROM training_runs t
    WHERE t.account_id = %(account_id)s AND t.status = 'finished' AND (t.tainted_at IS NOT NULL OR EXISTS (
        SELECT FROM training_rows r WHERE r.run_id = t.id AND r.fate = 'train' AND r.session_id IS NOT NULL
            AND NOT EXISTS (SELECT FROM sessions s WHERE s.id = r.session_id)))
    UNION
    SELECT t.id FROM training_runs t JOIN hit h ON t.parent_id = h.id WHERE t.status = 'finished'
)
UPDATE training_runs t SET tainted_at = %(now)s FROM hit h
WHERE t.id = h.id AND t.tainted_at IS NULL
RETURNING t.name;
