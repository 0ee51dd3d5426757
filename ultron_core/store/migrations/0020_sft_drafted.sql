-- What an export drafted of a segment before redaction: read again only when its log, its label or the rules are others.
CREATE TABLE sft_drafted (
    segment_id uuid PRIMARY KEY REFERENCES task_segments ON DELETE CASCADE,
    account_id text NOT NULL,
    digest     bytea NOT NULL,     -- of the session's content, the segment's columns and the rules of the draft
    drafted    bytea NOT NULL,     -- JSON: the columns of the row without its texts, or why there is none
    keys       bytea NOT NULL,     -- bands by which near-duplicates are found
    shingles   bytea NOT NULL      -- hashes of its 5-grams
);
-- hashes do not compress
ALTER TABLE sft_drafted ALTER COLUMN keys SET STORAGE EXTERNAL, ALTER COLUMN shingles SET STORAGE EXTERNAL;
