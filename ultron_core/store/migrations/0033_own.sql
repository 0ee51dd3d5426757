-- A list of memories by hits or by the last hit ranks all that fit: it reads them, and which memories a session gave, from
-- indexes alone.
DROP INDEX memories_listing;
CREATE INDEX memories_listing ON memories (account_id, status, created_at, id) INCLUDE (memory_type, proof);
DROP INDEX memory_sources_session;
CREATE INDEX memory_sources_session ON memory_sources (session_id) INCLUDE (memory_id) WHERE session_id IS NOT NULL;
CREATE INDEX memory_sources_project ON memory_sources (account_id, project) WHERE project IS NOT NULL;

-- That a memory was archived and came back is part of how it came to be what it is.
ALTER TABLE merge_decisions
    DROP CONSTRAINT merge_decisions_decision_check,
    ADD CONSTRAINT merge_decisions_decision_check
        CHECK (decision IN ('insert', 'merge', 'link', 'unmerge', 'archive', 'return'));
