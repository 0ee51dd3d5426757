-- The whole schema. Times are UTC, ids are UUIDs, every table with user data names its account and agent.
-- Private log (unredacted, private to its account and agent): raw_blobs, raw_uploads, messages,
-- message_windows, llm_cache. Everything else is redacted before it is written.

-- What lies in the drop folder, and what became of it.
CREATE TABLE source_files (
    account_id    text NOT NULL,
    agent_id      text NOT NULL,
    session_file  text NOT NULL,               -- relative to the sessions root, '/' between parts
    partition_key text NOT NULL,
    path          text NOT NULL,               -- where it was last seen
    size          bigint NOT NULL,
    mtime_ns      bigint NOT NULL,
    inode         bigint NOT NULL,
    sha256        text,                        -- of the bytes last ingested
    state         text NOT NULL DEFAULT 'new'
        CHECK (state IN ('new', 'ingested', 'failed', 'missing')),
    attempts      integer NOT NULL DEFAULT 0,
    next_try      timestamptz,
    error         text,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (account_id, agent_id, session_file)
);
CREATE INDEX source_files_inode ON source_files (account_id, agent_id, inode);

-- Bytes as they came, once each, compressed with zlib.
CREATE TABLE raw_blobs (
    sha256     text PRIMARY KEY,
    bytes      bigint NOT NULL,
    body       bytea NOT NULL,
    refs       integer NOT NULL DEFAULT 0,     -- raw_uploads rows that point here
    created_at timestamptz NOT NULL
);
ALTER TABLE raw_blobs ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE raw_uploads (
    id           uuid PRIMARY KEY,
    account_id   text NOT NULL,
    agent_id     text NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('ingest_file', 'ingest_text')),
    session_file text,
    sha256       text NOT NULL,
    bytes        bigint NOT NULL,
    stored       boolean NOT NULL,             -- false: above the size limit, only recorded
    -- ingest_text waits here until its memories are out
    status       text NOT NULL DEFAULT 'done' CHECK (status IN ('pending', 'done', 'failed')),
    attempts     integer NOT NULL DEFAULT 0,
    error        text,
    created_at   timestamptz NOT NULL
);
CREATE INDEX raw_uploads_session ON raw_uploads (account_id, agent_id, session_file);
CREATE INDEX raw_uploads_pending ON raw_uploads (account_id, created_at) WHERE status = 'pending';

-- One row a file and generation.
CREATE TABLE sessions (
    id              uuid PRIMARY KEY,
    account_id      text NOT NULL,
    agent_id        text NOT NULL,
    session_file    text NOT NULL,
    generation      integer NOT NULL DEFAULT 0,
    partition_key   text NOT NULL,
    content_sha256  text NOT NULL,
    bytes           bigint NOT NULL,
    format          text NOT NULL,
    harness         text,
    harness_version text,
    cwd             text,                      -- redacted
    tools           jsonb NOT NULL DEFAULT '[]',
    model           text,
    started_at      timestamptz,
    ended_at        timestamptz,
    changed_at      timestamptz NOT NULL,      -- when the log last grew: the file's own time
    lines           jsonb NOT NULL,            -- LineLedger counts
    message_count   integer NOT NULL,
    status          text NOT NULL DEFAULT 'ok' CHECK (status IN ('ok', 'failed', 'source_missing')),
    error           text,
    segmented       smallint NOT NULL DEFAULT 0,
    attempts        integer NOT NULL DEFAULT 0,
    reported        boolean NOT NULL DEFAULT false,  -- Dagster knows this content
    parser_version  text NOT NULL,
    segmenter       text,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    UNIQUE (account_id, agent_id, session_file, generation)
);
CREATE INDEX sessions_pending ON sessions (account_id, created_at) WHERE segmented = 0;
CREATE INDEX sessions_partition ON sessions (account_id, partition_key);
CREATE INDEX sessions_sha ON sessions (account_id, agent_id, content_sha256);

-- Verbatim messages; seq counts within the session, in file order.
CREATE TABLE messages (
    session_id      uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
    seq             integer NOT NULL,
    account_id      text NOT NULL,
    agent_id        text NOT NULL,
    thread          text NOT NULL,
    start_line      integer NOT NULL,
    end_line        integer NOT NULL,
    role            text NOT NULL,
    origin          text NOT NULL,
    content         text NOT NULL,
    tool_calls      jsonb,
    tool_call_id    text,
    name            text,
    is_error        boolean,
    reasoning       text,
    parts           jsonb,
    model           text,
    usage           jsonb,
    sent_at         timestamptz,
    source_uuid     text,
    digest          text NOT NULL,             -- fingerprint of this message alone
    PRIMARY KEY (session_id, seq)
);

CREATE TABLE task_segments (
    id                uuid PRIMARY KEY,
    account_id        text NOT NULL,
    agent_id          text NOT NULL,
    session_id        uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
    session_file      text NOT NULL,
    generation        integer NOT NULL,
    segment_index     integer NOT NULL,        -- order within the session, 0-based
    thread            text NOT NULL,
    start_message     integer NOT NULL,        -- position within the thread, 0-based
    end_message       integer NOT NULL,        -- exclusive
    start_line        integer NOT NULL,
    end_line          integer NOT NULL,
    fingerprint       text NOT NULL,
    occurrence        integer NOT NULL,
    topic             text NOT NULL DEFAULT '',
    closed            boolean NOT NULL,
    segmenter         text NOT NULL,
    repair            text NOT NULL DEFAULT '',
    quality_metrics   jsonb,
    labeled           smallint NOT NULL DEFAULT 0,
    labeler           text,
    label_attempts    integer NOT NULL DEFAULT 0,
    label_error       text,
    memory_extracted  smallint NOT NULL DEFAULT 0,
    extractor         text,
    extract_attempts  integer NOT NULL DEFAULT 0,
    extract_error     text,
    redaction_version text NOT NULL,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    CHECK (end_message > start_message),
    UNIQUE (account_id, agent_id, session_file, generation, thread, fingerprint, occurrence)
);
CREATE INDEX task_segments_session ON task_segments (session_id, segment_index);
CREATE INDEX task_segments_to_label ON task_segments (account_id, created_at) WHERE labeled = 0 AND closed;
CREATE INDEX task_segments_to_extract ON task_segments (account_id, created_at)
    WHERE labeled = 1 AND memory_extracted = 0;
