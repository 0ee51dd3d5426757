-- Uploads compare with what is stored before they take a lock, and under it only with what came since:
-- each write of a vector gets a higher number, and writers of one type follow one another.
CREATE SEQUENCE memory_versions;
ALTER TABLE memory_vectors ADD COLUMN version bigint NOT NULL DEFAULT nextval('memory_versions');
DROP INDEX memory_vectors_filter;
CREATE INDEX memory_vectors_filter ON memory_vectors (model_id, account_id, memory_type, version)
    WHERE status = 'active';

-- What a segment, a text or an agent gave is looked up with every batch, and deleted with its source.
CREATE INDEX memory_sources_raw_upload ON memory_sources (raw_upload_id) WHERE raw_upload_id IS NOT NULL;
CREATE INDEX memory_contributions_source ON memory_contributions (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX memory_contributions_agent ON memory_contributions (account_id, agent_id, memory_id);

-- Search asks whether a memory was superseded, and few are.
CREATE INDEX memory_links_superseded ON memory_links (to_id) WHERE kind = 'supersedes';
-- What waits in the pending list of the words' index is read row by row with every search.
ALTER INDEX memory_search_terms SET (fastupdate = off);
