-- Who is working on a session, segment or text: no other process takes it until the lease is over.
CREATE TABLE leases (
    row_id     uuid PRIMARY KEY,     -- of sessions, task_segments or raw_uploads
    account_id text NOT NULL,
    stage      text NOT NULL,
    holder     uuid NOT NULL,        -- one batch of one process
    host       text NOT NULL,        -- where that process runs, and its number there
    pid        integer NOT NULL,
    expires_at timestamptz NOT NULL  -- renewed while the holder works
);
CREATE INDEX leases_holder ON leases (holder);
