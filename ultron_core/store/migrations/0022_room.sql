-- Less room for the same rows: measured by benchmarks/storage.py.

-- Words that wait to be merged into the index take pages that stay with it: at the server's 4 MB a fresh index was more
-- than twice as large. At 256 kB it is smaller than one built at once, for .3 ms of CPU a file. An index that is there
-- grows less; REINDEX INDEX CONCURRENTLY makes it small.
ALTER INDEX message_windows_terms SET (gin_pending_list_limit = 256);

-- Equal bytes are looked up by their hash alone, and four bytes of it are enough for that.
DROP INDEX sessions_sha;
CREATE INDEX sessions_content ON sessions USING hash (content_sha256);
