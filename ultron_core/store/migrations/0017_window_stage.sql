-- Windows of the verbatim log are a stage of their own: which layout and model made those of a session, NULL when they
-- are to be made (again).
ALTER TABLE sessions ADD COLUMN windowed text, ADD COLUMN window_attempts integer NOT NULL DEFAULT 0,
    ADD COLUMN window_next_try timestamptz;
-- those that are there stay; a session that was cut just before a kill has none and gets them in the next cycle
UPDATE sessions s SET windowed = coalesce((
    SELECT min(w.layout) || ':' || CASE WHEN count(*) = count(w.model_id) AND count(DISTINCT w.model_id) = 1
        THEN min(w.model_id) ELSE '' END
    FROM message_windows w WHERE w.session_id = s.id), CASE WHEN s.message_count = 0 THEN '' END)
WHERE s.segmented = 1;
