-- name: claim
-- The rows among these that nobody holds, or whose holder let its lease run out, are the holder's from now on.
INSERT INTO leases AS l (row_id, account_id, stage, holder, host, pid, started, expires_at)
SELECT id, %(account_id)s, %(stage)s, %(holder)s, %(host)s, %(pid)s, %(started)s, clock_timestamp() + %(lasts)s
FROM unnest(%(ids)s::uuid[]) AS id ORDER BY id
ON CONFLICT (row_id, stage) DO UPDATE SET holder = EXCLUDED.holder, host = EXCLUDED.host,
    pid = EXCLUDED.pid, started = EXCLUDED.started, expires_at = EXCLUDED.expires_at
WHERE l.expires_at <= clock_timestamp()
RETURNING row_id;

-- name: renew
-- The holder is still working.
UPDATE leases SET expires_at = clock_timestamp() + %(lasts)s WHERE holder = %(holder)s;

-- name: release
-- The holder is done.
DELETE FROM leases WHERE holder = %(holder)s;

-- name: holders
-- Who holds rows from this place.
SELECT DISTINCT holder, pid, started FROM leases WHERE host = %(host)s;

-- name: wait_to_tell
-- How long the next waits.
SELECT set_config('lock_timeout', %(seconds)s, false);

-- name: tell
-- One process at a time tells of an asset; let go with the connection.
SELECT pg_advisory_lock(hashtextextended('tell:' || %(account_id)s || ':' || %(asset)s, 0));
