-- name: claim
-- The rows among these that nobody holds, or whose holder let its lease run out, are the holder's from now on.
INSERT INTO leases AS l (row_id, account_id, stage, holder, host, pid, expires_at)
SELECT id, %(account_id)s, %(stage)s, %(holder)s, %(host)s, %(pid)s, clock_timestamp() + %(lasts)s
FROM unnest(%(ids)s::uuid[]) AS id ORDER BY id
ON CONFLICT (row_id) DO UPDATE SET stage = EXCLUDED.stage, holder = EXCLUDED.holder, host = EXCLUDED.host,
    pid = EXCLUDED.pid, expires_at = EXCLUDED.expires_at
WHERE l.expires_at <= clock_timestamp()
RETURNING row_id;

-- name: renew
-- The holder is still working.
UPDATE leases SET expires_at = clock_timestamp() + %(lasts)s WHERE holder = %(holder)s;

-- name: release
-- The holder is done.
DELETE FROM leases WHERE holder = %(holder)s;

-- name: holders
-- Who holds rows from this host.
SELECT DISTINCT holder, pid FROM leases WHERE host = %(host)s;

-- name: held
-- Which of these partitions somebody works on for this stage.
SELECT DISTINCT s.partition_key
FROM leases l LEFT JOIN task_segments t ON t.id = l.row_id JOIN sessions s ON s.id = coalesce(t.session_id, l.row_id)
WHERE l.account_id = %(account_id)s AND l.stage = %(stage)s AND l.expires_at > clock_timestamp()
    AND s.partition_key = ANY(%(keys)s);
