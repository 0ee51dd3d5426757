-- How a session really ended, as its owner says: it overrides what rules make of the log, in both directions.
CREATE TABLE outcomes (
    account_id   text NOT NULL,
    agent_id     text NOT NULL,
    session_file text NOT NULL,
    reward       double precision NOT NULL,
    success      boolean NOT NULL,
    task_id      text NOT NULL DEFAULT '',  -- runs with one task id are runs of one task
    source       text NOT NULL,             -- who says so: a benchmark, a reviewer, a ticket
    imported_at  timestamptz NOT NULL,
    PRIMARY KEY (account_id, agent_id, session_file)
);
