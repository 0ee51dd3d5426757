-- Windows of pieces: a long message makes several, so a window is known by its place in its thread.
ALTER TABLE message_windows DROP CONSTRAINT message_windows_pkey;
ALTER TABLE message_windows
    ADD COLUMN place integer NOT NULL DEFAULT 0,        -- 0, 1, 2, ... within the thread
    ADD COLUMN start_char integer NOT NULL DEFAULT 0,   -- in message start_seq; -1: begins with tool calls
    ADD COLUMN end_char integer NOT NULL DEFAULT 0,     -- where its last piece begins
    ADD COLUMN layout smallint NOT NULL DEFAULT 1;      -- how it was cut; older ones are made anew
UPDATE message_windows w SET place = numbered.place
FROM (SELECT session_id, thread, start_seq,
        row_number() OVER (PARTITION BY session_id, thread ORDER BY start_seq) - 1 AS place
    FROM message_windows) AS numbered
WHERE numbered.session_id = w.session_id AND numbered.thread = w.thread AND numbered.start_seq = w.start_seq;
ALTER TABLE message_windows
    ALTER COLUMN place DROP DEFAULT,
    ALTER COLUMN start_char DROP DEFAULT,
    ALTER COLUMN end_char DROP DEFAULT,
    ALTER COLUMN layout DROP DEFAULT,
    ADD PRIMARY KEY (session_id, thread, place);
CREATE INDEX message_windows_time ON message_windows (account_id, sent_at);
