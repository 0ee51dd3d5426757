-- Less room for the same rows: measured by benchmarks/storage.py.

-- The words of a window stood in its row twice, as numbers and as the places of their weights. They are read from the
-- weights; so dear that a plan rather asks the index than reads them row by row.
CREATE FUNCTION term_numbers(weights sparsevec) RETURNS integer[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 1000
    RETURN (SELECT coalesce(array_agg(split_part(pair, ':', 1)::integer), '{}')
        FROM string_to_table(ltrim(split_part(weights::text, '}', 1), '{'), ',') AS pair WHERE pair <> '');

-- Words that wait to be merged into the index take pages that stay with it: at the server's 4 MB a fresh index was more
-- than twice as large. At 256 kB it is smaller than one built at once, for .3 ms of CPU a file.
DROP INDEX message_windows_terms;
CREATE INDEX message_windows_terms ON message_windows USING gin (term_numbers(weights))
    WITH (gin_pending_list_limit = 256);
ALTER TABLE message_windows DROP COLUMN terms;

-- Equal bytes are looked up by their hash alone, and four bytes of it are enough for that.
DROP INDEX sessions_sha;
CREATE INDEX sessions_content ON sessions USING hash (content_sha256);
