-- Who may reach the account from outside. A key is shown once; only its SHA-256 is kept.
CREATE TABLE api_keys (
    id           text PRIMARY KEY,           -- the part of the key that may be seen
    account_id   text NOT NULL,
    agent_id     text,                       -- the agent it acts for; NULL: whichever the request names
    name         text NOT NULL,
    hash         text NOT NULL,
    scopes       text[] NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,                -- to the minute
    expires_at   timestamptz,
    revoked_at   timestamptz
);
CREATE UNIQUE INDEX api_keys_name ON api_keys (account_id, name) WHERE revoked_at IS NULL;

-- A key names no account, and the role that serves requests may not read other accounts' rows.
CREATE FUNCTION find_api_key(key_id text) RETURNS SETOF api_keys
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ultron, pg_temp
    AS $$ SELECT * FROM api_keys WHERE id = key_id $$;

-- Bodies that a memory had before somebody corrected it, redacted. Never searched. The sequence of that name counts
-- writes of vectors.
ALTER SEQUENCE memory_versions RENAME TO vector_versions;
ALTER TABLE memories ADD COLUMN version integer NOT NULL DEFAULT 1;
CREATE TABLE memory_versions (
    memory_id  uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    version    integer NOT NULL,             -- the one that these words were
    account_id text NOT NULL,
    content    text NOT NULL,
    context    text NOT NULL,
    resolution text NOT NULL,
    tags       text[] NOT NULL,
    changed_by text NOT NULL,                -- who put other words in their place: an agent, or the name of a key
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (memory_id, version)
);

-- The harness said that a session is over (a hook at its end): its last task need not wait until the log is quiet.
ALTER TABLE sessions ADD COLUMN is_over boolean NOT NULL DEFAULT false;
