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

-- What agents share. The body is redacted.
CREATE TABLE memories (
    id                uuid PRIMARY KEY,
    account_id        text NOT NULL,
    agent_id          text NOT NULL,           -- who contributed it first
    memory_type       text NOT NULL
        CHECK (memory_type IN ('error', 'security', 'correction', 'pattern', 'preference', 'life')),
    content           text NOT NULL,
    context           text NOT NULL DEFAULT '',
    resolution        text NOT NULL DEFAULT '',
    tags              text[] NOT NULL DEFAULT '{}',
    summary_l0        text NOT NULL DEFAULT '',
    overview_l1       text NOT NULL DEFAULT '',
    status            text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
    archive_reason    text,
    confidence        real NOT NULL DEFAULT 0.5,
    extractor         text NOT NULL,
    redaction_version text NOT NULL,
    body_sha256       text NOT NULL,           -- of type, content, context, resolution: equal means the same words
    needs_model       boolean NOT NULL DEFAULT false,  -- written by rules while a model was asked for
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL
);
CREATE INDEX memories_body ON memories (account_id, memory_type, body_sha256);
CREATE INDEX memories_tags ON memories USING gin (tags);
CREATE INDEX memories_listing ON memories (account_id, status, created_at);
CREATE INDEX memories_needs_model ON memories (account_id) WHERE needs_model;

-- Counters apart from the body: one update here rewrites 60 bytes, not a vector and its index entries.
CREATE TABLE memory_usage (
    memory_id   uuid PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    account_id  text NOT NULL,
    tier        text NOT NULL DEFAULT 'WARM' CHECK (tier IN ('HOT', 'WARM', 'COLD')),
    hit_count   bigint NOT NULL DEFAULT 1,
    last_hit_at timestamptz
) WITH (fillfactor = 80);

-- The lexical lane: hashed terms for candidates, BM25 weights for scores.
CREATE TABLE memory_search (
    memory_id   uuid PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    account_id  text NOT NULL,
    memory_type text NOT NULL,
    status      text NOT NULL,
    terms       integer[] NOT NULL,
    weights     sparsevec(1000000000) NOT NULL,
    length      integer NOT NULL,
    average_length real NOT NULL               -- the one the weights were made with
);
CREATE INDEX memory_search_terms ON memory_search USING gin (terms);
CREATE INDEX memory_search_filter ON memory_search (account_id, memory_type) WHERE status = 'active';

-- The vector lane: one row a memory and model. HNSW indexes are made by code, one a model.
CREATE TABLE memory_vectors (
    memory_id   uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    model_id    text NOT NULL,
    account_id  text NOT NULL,
    memory_type text NOT NULL,
    status      text NOT NULL,
    embedding   halfvec NOT NULL,
    exact       vector NOT NULL,               -- float32, for decisions at a threshold
    PRIMARY KEY (memory_id, model_id)
);
CREATE INDEX memory_vectors_filter ON memory_vectors (model_id, account_id, memory_type)
    WHERE status = 'active';

-- Where a memory comes from. A memory without any source left is archived.
CREATE TABLE memory_sources (
    id            uuid PRIMARY KEY,
    account_id    text NOT NULL,
    agent_id      text NOT NULL,
    memory_id     uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    kind          text NOT NULL CHECK (kind IN ('segment', 'upload', 'ingest_text')),
    segment_id    uuid REFERENCES task_segments ON DELETE CASCADE,
    session_id    uuid REFERENCES sessions ON DELETE CASCADE,
    raw_upload_id uuid REFERENCES raw_uploads ON DELETE CASCADE,
    -- lines as in the file, moved along when the segment moves
    start_line    integer,
    end_line      integer,
    segment_start_line integer,                -- the segment's own first line when the source was written
    quote         text NOT NULL DEFAULT '',    -- redacted
    created_at    timestamptz NOT NULL
);
CREATE INDEX memory_sources_memory ON memory_sources (memory_id);
CREATE INDEX memory_sources_segment ON memory_sources (segment_id) WHERE segment_id IS NOT NULL;

-- The redacted original of every upload, also of the ones that were merged.
CREATE TABLE memory_contributions (
    id             uuid PRIMARY KEY,
    account_id     text NOT NULL,
    agent_id       text NOT NULL,
    memory_id      uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    source_id      uuid REFERENCES memory_sources ON DELETE SET NULL,
    content        text NOT NULL,
    context        text NOT NULL DEFAULT '',
    resolution     text NOT NULL DEFAULT '',
    tags           text[] NOT NULL DEFAULT '{}',
    merged         boolean NOT NULL,           -- false: it made the memory
    pending_merge  boolean NOT NULL DEFAULT false,  -- its facts are not in the body yet (model was down)
    contributed_at timestamptz NOT NULL
);
CREATE INDEX memory_contributions_memory ON memory_contributions (memory_id);
CREATE INDEX memory_contributions_words ON memory_contributions (account_id, md5(content));
CREATE INDEX memory_contributions_pending ON memory_contributions (account_id) WHERE pending_merge;

CREATE TABLE merge_decisions (
    id              uuid PRIMARY KEY,
    account_id      text NOT NULL,
    memory_id       uuid NOT NULL REFERENCES memories ON DELETE CASCADE,  -- the row that stayed or was made
    other_id        uuid,                      -- the nearest other memory, if one was near
    contribution_id uuid,
    decision        text NOT NULL CHECK (decision IN ('insert', 'merge', 'link', 'unmerge')),
    reason          text NOT NULL,
    score           real,
    threshold       real,
    model_id        text,
    body_before     jsonb,                     -- what the body was, so that a merge can be undone
    decided_by      text NOT NULL,
    undone_at       timestamptz,
    created_at      timestamptz NOT NULL
);
CREATE INDEX merge_decisions_memory ON merge_decisions (memory_id);

CREATE TABLE memory_links (
    account_id text NOT NULL,
    from_id    uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    to_id      uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('similar_to', 'supersedes', 'contradicts')),
    score      real,
    reason     text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    PRIMARY KEY (from_id, to_id, kind)
);
CREATE INDEX memory_links_to ON memory_links (to_id);

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

-- Everything that was refused anywhere, with stage and reason; the payload is redacted.
CREATE TABLE drops (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id text NOT NULL,
    agent_id   text NOT NULL,
    stage      text NOT NULL,
    reason     text NOT NULL,
    detail     text NOT NULL DEFAULT '',
    payload    jsonb NOT NULL DEFAULT '{}',
    session_id uuid REFERENCES sessions ON DELETE CASCADE,
    segment_id uuid REFERENCES task_segments ON DELETE CASCADE,
    start_line integer,
    end_line   integer,
    created_at timestamptz NOT NULL
);
CREATE INDEX drops_session ON drops (session_id, stage);
CREATE INDEX drops_segment ON drops (segment_id, stage);
CREATE INDEX drops_reason ON drops (account_id, stage, reason);

-- Embedders seen, with the thresholds calibrated for them. One is current per account.
CREATE TABLE embedding_models (
    account_id        text NOT NULL,
    model_id          text NOT NULL,
    dimension         integer NOT NULL,
    merge_threshold   real NOT NULL,
    soft_threshold    real NOT NULL,
    cluster_threshold real NOT NULL,
    is_current        boolean NOT NULL DEFAULT false,
    created_at        timestamptz NOT NULL,
    PRIMARY KEY (account_id, model_id)
);
CREATE UNIQUE INDEX embedding_models_current ON embedding_models (account_id) WHERE is_current;

-- Document frequencies for BM25; scope: memory or window.
CREATE TABLE lexical_df (
    account_id text NOT NULL,
    scope      text NOT NULL CHECK (scope IN ('memory', 'window')),
    term       integer NOT NULL,
    df         integer NOT NULL,
    PRIMARY KEY (account_id, scope, term)
) WITH (fillfactor = 80);

CREATE TABLE lexical_stats (
    account_id   text NOT NULL,
    scope        text NOT NULL CHECK (scope IN ('memory', 'window')),
    documents    bigint NOT NULL,
    total_length bigint NOT NULL,
    PRIMARY KEY (account_id, scope)
);

CREATE TABLE sft_exports (
    id           uuid PRIMARY KEY,
    account_id   text NOT NULL,
    name         text NOT NULL,
    version      text NOT NULL,
    path         text NOT NULL,
    content_hash text NOT NULL,
    manifest     jsonb NOT NULL,
    rows         integer NOT NULL,
    created_at   timestamptz NOT NULL,
    UNIQUE (account_id, path)
);

CREATE TABLE sft_export_rows (
    export_id      uuid NOT NULL REFERENCES sft_exports ON DELETE CASCADE,
    segment_id     uuid NOT NULL,              -- kept although the segment may go: what was shipped stays known
    account_id     text NOT NULL,
    agent_id       text NOT NULL,
    session_id     uuid,
    start_line     integer NOT NULL,
    end_line       integer NOT NULL,
    content_sha256 text NOT NULL,
    split          text NOT NULL,
    PRIMARY KEY (export_id, segment_id)
);
CREATE INDEX sft_export_rows_segment ON sft_export_rows (segment_id);

CREATE TABLE llm_calls (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id    text NOT NULL,
    stage         text NOT NULL,
    model         text NOT NULL,
    prompt_hash   text NOT NULL,
    input_tokens  integer NOT NULL,
    output_tokens integer NOT NULL,
    cost          double precision NOT NULL,
    latency_ms    double precision NOT NULL,
    cached        boolean NOT NULL DEFAULT false,
    error         text,
    created_at    timestamptz NOT NULL
);
CREATE INDEX llm_calls_day ON llm_calls (account_id, created_at);

CREATE TABLE llm_cache (
    account_id text NOT NULL,
    key        text NOT NULL,
    stage      text NOT NULL,
    model      text NOT NULL,
    answer     text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, key)
);

CREATE TABLE idempotency_keys (
    account_id   text NOT NULL,
    agent_id     text NOT NULL,
    key          text NOT NULL,
    request_hash text NOT NULL,
    memory_id    uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (account_id, key)
);
