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

-- The planner keeps no samples of free text: they would outlive the rows. No condition is on these columns.
ALTER TABLE messages ALTER content SET STATISTICS 0, ALTER reasoning SET STATISTICS 0,
    ALTER tool_calls SET STATISTICS 0, ALTER parts SET STATISTICS 0;
ALTER TABLE memories ALTER content SET STATISTICS 0, ALTER context SET STATISTICS 0,
    ALTER resolution SET STATISTICS 0, ALTER summary_l0 SET STATISTICS 0, ALTER overview_l1 SET STATISTICS 0;
ALTER TABLE memory_contributions ALTER content SET STATISTICS 0, ALTER context SET STATISTICS 0,
    ALTER resolution SET STATISTICS 0;
ALTER TABLE memory_versions ALTER content SET STATISTICS 0, ALTER context SET STATISTICS 0,
    ALTER resolution SET STATISTICS 0;
ALTER TABLE memory_sources ALTER quote SET STATISTICS 0;
ALTER TABLE merge_decisions ALTER body_before SET STATISTICS 0;
ALTER TABLE drops ALTER detail SET STATISTICS 0, ALTER payload SET STATISTICS 0;
ALTER TABLE llm_cache ALTER answer SET STATISTICS 0;
ALTER TABLE llm_calls ALTER error SET STATISTICS 0;
ALTER TABLE task_segments ALTER topic SET STATISTICS 0, ALTER quality_metrics SET STATISTICS 0,
    ALTER model_notes SET STATISTICS 0;
ALTER TABLE raw_blobs ALTER body SET STATISTICS 0;
ALTER TABLE sft_cleaned ALTER cleaned SET STATISTICS 0;
ALTER TABLE sft_drafted ALTER drafted SET STATISTICS 0;
