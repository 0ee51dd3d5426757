-- Windows of a few turns over the verbatim log; the text itself stays in messages.
CREATE TABLE message_windows (
    session_id  uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
    thread      text NOT NULL,
    start_seq   integer NOT NULL,
    end_seq     integer NOT NULL,              -- inclusive
    account_id  text NOT NULL,
    agent_id    text NOT NULL,
    start_line  integer NOT NULL,
    end_line    integer NOT NULL,
    sent_at     timestamptz,
    digest      text NOT NULL,                 -- of the text, so that unchanged windows are kept
    terms       integer[] NOT NULL,
    weights     sparsevec(1000000000) NOT NULL,
    length      integer NOT NULL,
    model_id    text,
    embedding   halfvec,
    PRIMARY KEY (session_id, thread, start_seq)
);
CREATE INDEX message_windows_terms ON message_windows USING gin (terms);
CREATE INDEX message_windows_agent ON message_windows (account_id, agent_id);

CREATE TABLE clusters (
    cluster_id       uuid PRIMARY KEY,
    account_id       text NOT NULL,
    model_id         text NOT NULL,
    topic            text NOT NULL DEFAULT '',
    topic_by         text NOT NULL DEFAULT '',
    centroid         vector NOT NULL,          -- mean of the members' unit vectors
    size             integer NOT NULL,
    skill_slug       text,
    superseded_slugs text[] NOT NULL DEFAULT '{}',
    crystallized_size integer,                 -- size when it was last crystallised
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL
);
CREATE INDEX clusters_account ON clusters (account_id, model_id);

CREATE TABLE cluster_members (
    memory_id  uuid PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    cluster_id uuid NOT NULL REFERENCES clusters ON DELETE CASCADE,
    account_id text NOT NULL,
    joined_at  timestamptz NOT NULL
);
CREATE INDEX cluster_members_cluster ON cluster_members (cluster_id);
