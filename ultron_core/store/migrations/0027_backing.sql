-- Who said the words that stand, what bears them out, and which rule found them. Fields that the extractor and the editor
-- write, never a caller: the handbook and the recall block ask for them, not for tags or words.
ALTER TABLE memories
    ADD COLUMN trust text NOT NULL DEFAULT 'upload' CHECK (trust IN ('human', 'agent', 'tool', 'upload')),
    ADD COLUMN proof text NOT NULL DEFAULT 'claimed'
        CHECK (proof IN ('person', 'check', 'result', 'repeated', 'claimed')),
    ADD COLUMN lesson text NOT NULL DEFAULT '';
ALTER TABLE memory_contributions
    ADD COLUMN trust text NOT NULL DEFAULT 'upload' CHECK (trust IN ('human', 'agent', 'tool', 'upload')),
    ADD COLUMN proof text NOT NULL DEFAULT 'claimed'
        CHECK (proof IN ('person', 'check', 'result', 'repeated', 'claimed')),
    ADD COLUMN lesson text NOT NULL DEFAULT '';
-- NULL: not known of words that were replaced before this was kept
ALTER TABLE memory_versions ADD COLUMN trust text, ADD COLUMN proof text;

-- Which key sent a log in; NULL: the owner's own hooks, command line and folders.
ALTER TABLE sessions ADD COLUMN brought_by text;

-- What the owner said of a memory's words. It holds as long as the words do: `body_sha256` is theirs.
CREATE TABLE memory_verdicts (
    memory_id   uuid NOT NULL REFERENCES memories ON DELETE CASCADE,
    account_id  text NOT NULL,
    verdict     text NOT NULL CHECK (verdict IN ('confirmed')),
    body_sha256 text NOT NULL,
    given_by    text NOT NULL,               -- an owner's key, or empty: who works in the home itself
    given_at    timestamptz NOT NULL,
    PRIMARY KEY (memory_id, verdict, body_sha256)
);

-- What rules made of logs until now told these by tags and by sentences of their own. Tags of a contribution whose source is
-- a segment are the extractor's.
UPDATE memory_contributions c SET trust = s.trust,
    lesson = CASE WHEN 'decision' = ANY (c.tags) THEN 'decision' WHEN 'workflow' = ANY (c.tags) THEN 'pattern'
        WHEN 'unsolved' = ANY (c.tags) THEN 'failure' ELSE '' END,
    proof = CASE WHEN s.trust = 'human' AND NOT 'guide' = ANY (c.tags) THEN 'person'
        WHEN 'workflow' = ANY (c.tags) OR c.resolution ~ '(^It worked |后成功[。.]?$)' THEN 'check'
        WHEN 'unsolved' = ANY (c.tags) OR 'security' = ANY (c.tags) OR 'secret' = ANY (c.tags) THEN 'result'
        ELSE 'claimed' END
FROM memory_sources s WHERE s.id = c.source_id AND s.kind = 'segment';
-- Of those who gave just the words that stand the best one counts; words that nobody gave so are as good as the least of
-- their parts, and those that somebody edited are the editor's, who is not known.
UPDATE memories m SET (trust, proof, lesson) = (
    SELECT c.trust, c.proof, c.lesson FROM memory_contributions c WHERE c.memory_id = m.id
    ORDER BY CASE WHEN (c.content, c.context, c.resolution) = (m.content, m.context, m.resolution) THEN 0 ELSE 1 END,
        CASE WHEN (c.content, c.context, c.resolution) = (m.content, m.context, m.resolution)
            THEN array_position(ARRAY['human', 'agent', 'tool', 'upload'], c.trust)
            ELSE -array_position(ARRAY['human', 'agent', 'tool', 'upload'], c.trust) END,
        c.contributed_at, c.id
    LIMIT 1)
WHERE EXISTS (SELECT 1 FROM memory_contributions c WHERE c.memory_id = m.id)
    AND NOT EXISTS (SELECT 1 FROM memory_versions v WHERE v.memory_id = m.id
        AND (v.content, v.context, v.resolution) <> (m.content, m.context, m.resolution));
