-- Notes that a model gave together with its judgement, until the segment is looked through for memories:
-- {"extractor": "model:<name>#<hash>", "memories": [...]}, redacted.
ALTER TABLE task_segments ADD COLUMN model_notes jsonb;
