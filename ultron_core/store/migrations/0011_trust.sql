-- Who stands behind a source: a person (`human`), the agent itself (`agent`), the output of a tool, a file or the harness
-- (`tool`), or a caller who handed the memory or its text in (`upload`).
ALTER TABLE memory_sources ADD COLUMN trust text NOT NULL DEFAULT 'upload'
    CHECK (trust IN ('human', 'agent', 'tool', 'upload'));
-- Quotes of older rows are redacted and not looked for again: of all who speak on their lines the least trusted counts.
UPDATE memory_sources ms SET trust = coalesce((
    SELECT CASE WHEN bool_or(m.origin NOT IN ('human', 'model')) THEN 'tool' WHEN bool_or(m.origin = 'model') THEN 'agent'
        WHEN count(*) > 0 THEN 'human' END
    FROM messages m WHERE m.session_id = ms.session_id AND m.start_line <= ms.end_line AND m.end_line >= ms.start_line
), 'tool')
WHERE ms.kind = 'segment';
ALTER TABLE memory_sources ALTER COLUMN trust DROP DEFAULT;

-- What tells people and agents what to do; a rebalance asks which of them no person said.
CREATE INDEX memories_rules ON memories (account_id, id)
    WHERE status = 'active' AND memory_type IN ('preference', 'correction');
