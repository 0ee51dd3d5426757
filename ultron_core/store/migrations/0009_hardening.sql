-- Whether a log was renamed or copied is decided by the path it was read from, not by the redacted one that people
-- see: `/home/<USER>/x.jsonl` never exists, so every copy of a log below a home took over the session of the first.
-- The bytes of the path, part of the private log like raw_uploads.path; NULL: not known, then nothing is adopted.
ALTER TABLE source_files ADD COLUMN private_path bytea;
UPDATE source_files f SET private_path = convert_to(u.path, 'UTF8')
FROM (SELECT DISTINCT ON (account_id, agent_id, session_file) account_id, agent_id, session_file, path
    FROM raw_uploads WHERE path IS NOT NULL AND session_file IS NOT NULL
    ORDER BY account_id, agent_id, session_file, created_at DESC) AS u
WHERE u.account_id = f.account_id AND u.agent_id = f.agent_id AND u.session_file = f.session_file
    AND left(u.path, 1) = '/' AND u.path !~ '[<\\]';  -- neither redacted nor with bytes that are not UTF-8

-- Inode numbers are counted by each file system for itself. NULL: not known, then an inode says nothing.
ALTER TABLE source_files ADD COLUMN device bigint;

-- A log that was read and holds no message is not `ok`: metadata alone is `empty`, what nobody could read `failed`.
ALTER TABLE sessions DROP CONSTRAINT sessions_status_check;
ALTER TABLE sessions ADD CONSTRAINT sessions_status_check
    CHECK (status IN ('ok', 'empty', 'failed', 'source_missing'));
UPDATE sessions SET status = 'empty'
WHERE status = 'ok' AND message_count = 0 AND coalesce((lines ->> 'total')::bigint, 0) > 0;

-- A caller may build a key of anything, a secret among it: only its hash is kept.
UPDATE idempotency_keys SET key = encode(sha256(convert_to(key, 'UTF8')), 'hex');
