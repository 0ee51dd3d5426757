-- name: insert
-- A new key.
INSERT INTO api_keys (id, account_id, agent_id, name, hash, scopes, created_at, expires_at)
VALUES (%(id)s, %(account_id)s, %(agent_id)s, %(name)s, %(hash)s, %(scopes)s, %(now)s, %(expires_at)s)
ON CONFLICT (account_id, name) WHERE revoked_at IS NULL DO NOTHING RETURNING *;

-- name: find
-- The key of an id, whatever its account.
SELECT * FROM find_api_key(%(id)s);

-- name: used
-- That a key was used; at most once a minute, so that reading does not write.
UPDATE api_keys SET last_used_at = %(now)s
WHERE id = %(id)s AND account_id = %(account_id)s
    AND (last_used_at IS NULL OR last_used_at < %(now)s::timestamptz - interval '1 minute');

-- name: listing
-- All keys of an account, the newest first.
SELECT * FROM api_keys WHERE account_id = %(account_id)s ORDER BY created_at DESC, id;

-- name: revoke
-- Keys that end now, by id or name.
UPDATE api_keys SET revoked_at = %(now)s
WHERE account_id = %(account_id)s AND revoked_at IS NULL AND (id = %(which)s OR name = %(which)s)
RETURNING *;
