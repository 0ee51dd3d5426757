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
