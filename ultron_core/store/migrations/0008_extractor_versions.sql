-- Rows of the offline extractor say so, as those of the segmenter and the labeler do: a bare `3` was never found by
-- `reprocess --stage memories --made-by offline`.
UPDATE task_segments SET extractor = 'offline:' || extractor WHERE extractor ~ '^[0-9]+$';
UPDATE memories SET extractor = 'offline:' || extractor WHERE extractor ~ '^[0-9]+$';

-- The plain text that a refused draft came from; NULL for drafts of segments and for lines of sessions.
ALTER TABLE drops ADD COLUMN raw_upload_id uuid REFERENCES raw_uploads ON DELETE CASCADE;
CREATE INDEX drops_raw_upload ON drops (raw_upload_id, stage) WHERE raw_upload_id IS NOT NULL;
