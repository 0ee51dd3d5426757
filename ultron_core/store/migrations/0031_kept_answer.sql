-- What a model said of a segment in one answer waits here for the stages behind: its notes, and its judgement, too, where
-- that came with the boundaries of the session.
COMMENT ON COLUMN task_segments.model_notes IS
    '{"extractor": "model:<name>#<hash>", "memories": [...], "labeler": "model:<name>#<hash>", "label": {...}}, redacted; '
    'the last two until the segment is labelled, memories null where none could be used';
