-- Trainings on datasets, and the adapters that came out of them.
CREATE TABLE training_runs (
    id           uuid PRIMARY KEY,
    account_id   text NOT NULL,
    name         text NOT NULL,
    status       text NOT NULL CHECK (status IN ('running', 'finished', 'stopped')),
    base         text NOT NULL,
    base_hash    text NOT NULL,
    parent_id    uuid REFERENCES training_runs,
    dataset      text NOT NULL,
    dataset_hash text NOT NULL,
    settings     jsonb NOT NULL,
    seed         bigint NOT NULL,
    device       text NOT NULL,
    path         text NOT NULL,
    report       jsonb NOT NULL DEFAULT '{}',     -- losses and calls before and after, and the verdict
    promoted     boolean NOT NULL DEFAULT false,
    tainted_at   timestamptz,                     -- when it was seen that rows it was trained on are erased
    error        text,
    started_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    UNIQUE (account_id, name)
);

-- What became of each row of the dataset in a finished run, by the hash of its content.
CREATE TABLE training_rows (
    run_id         uuid NOT NULL REFERENCES training_runs ON DELETE CASCADE,
    account_id     text NOT NULL,
    content_sha256 text NOT NULL,
    group_key      text NOT NULL,
    fate           text NOT NULL CHECK (fate IN ('train', 'validation', 'too_long')),
    session_id     uuid,                          -- kept although the session may go: that is how a taint is seen
    PRIMARY KEY (run_id, content_sha256)
);
CREATE INDEX training_rows_content ON training_rows (account_id, content_sha256);
CREATE INDEX training_rows_session ON training_rows (session_id);
