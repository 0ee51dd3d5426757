-- name: places
-- Where the files of one account were read from.
SELECT agent_id, session_file, partition_key, private_path FROM source_files
WHERE account_id = %(account_id)s ORDER BY agent_id, session_file;

-- name: states
-- The ledger of one account: what a look at the folder compares it with, of 20,000 files at every tick.
SELECT agent_id, session_file, partition_key, size, mtime_ns, inode, state, attempts, next_try FROM source_files
WHERE account_id = %(account_id)s;

-- name: upsert
-- What was seen of a file; a row is only written when something differs.
INSERT INTO source_files AS f (account_id, agent_id, session_file, partition_key, path, private_path, size,
    mtime_ns, device, inode, sha256, state, attempts, next_try, error, created_at, updated_at)
VALUES (%(account_id)s, %(agent_id)s, %(session_file)s, %(partition_key)s, %(path)s, %(private_path)s, %(size)s,
    %(mtime_ns)s, %(device)s, %(inode)s, %(sha256)s, %(state)s, %(attempts)s, %(next_try)s, %(error)s, %(now)s, %(now)s)
ON CONFLICT (account_id, agent_id, session_file) DO UPDATE SET
    partition_key = excluded.partition_key, path = excluded.path, private_path = excluded.private_path,
    size = excluded.size, mtime_ns = excluded.mtime_ns, device = excluded.device, inode = excluded.inode,
    sha256 = excluded.sha256, state = excluded.state, attempts = excluded.attempts, next_try = excluded.next_try, error = excluded.error,
    updated_at = excluded.updated_at
WHERE (f.path, f.private_path, f.size, f.mtime_ns, f.device, f.inode, f.sha256, f.state, f.attempts, f.next_try,
        f.error)
    IS DISTINCT FROM (excluded.path, excluded.private_path, excluded.size, excluded.mtime_ns, excluded.device,
        excluded.inode, excluded.sha256, excluded.state, excluded.attempts, excluded.next_try, excluded.error);

-- name: mark_missing
-- Gone from the drop folder.
UPDATE source_files SET state = 'missing', updated_at = %(now)s
WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = ANY(%(session_files)s)
    AND state <> 'missing';

-- name: rename
-- The file has another name now.
DELETE FROM source_files
WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(old_file)s;

-- name: facts
-- By what the file was known when it was read last.
SELECT size, mtime_ns, device, inode FROM source_files
WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s;

-- name: attempts
-- How often a file was tried in vain.
SELECT attempts FROM source_files
WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s;
