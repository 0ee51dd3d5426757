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
