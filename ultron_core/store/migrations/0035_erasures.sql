-- Erasing by scope: what is under way, and what was erased and is not read again.
CREATE TABLE erasures (
    id         uuid PRIMARY KEY,
    account_id text NOT NULL,
    scope      text NOT NULL,                -- its kind and a keyed hash of its name
    cursor     text NOT NULL DEFAULT '',     -- which part of the work is under way
    counts     jsonb NOT NULL DEFAULT '{}',  -- rows by table so far
    asked_at   timestamptz NOT NULL,
    done_at    timestamptz                   -- NULL: the same command goes on
);
CREATE UNIQUE INDEX erasures_open ON erasures (account_id, scope) WHERE done_at IS NULL;

-- Keyed hashes of files, contents, messages and memories, and nothing else of them.
CREATE TABLE erased_logs (
    account_id text NOT NULL,
    digest     bytea NOT NULL,
    PRIMARY KEY (account_id, digest)
);
CREATE TABLE erasure_keys (
    account_id text PRIMARY KEY,
    key        bytea NOT NULL
);

-- The session that gave a part, also once its segment was cut again and its source is gone.
ALTER TABLE memory_contributions ADD COLUMN session_id uuid;
UPDATE memory_contributions c SET session_id = s.session_id FROM memory_sources s
WHERE s.id = c.source_id AND s.session_id IS NOT NULL;
CREATE INDEX memory_contributions_session ON memory_contributions (session_id) WHERE session_id IS NOT NULL;
