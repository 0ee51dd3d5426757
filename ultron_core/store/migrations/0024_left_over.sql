-- Open tasks are few: the last ones of logs that still grow. They are looked for at the end of every batch.
CREATE INDEX task_segments_open ON task_segments (account_id, session_id) WHERE NOT closed;

-- A session is named by the end of its file's path, too.
CREATE INDEX sessions_path_end ON sessions (account_id, (reverse(session_file) COLLATE "C"));

-- The columns come last: whoever searches memories waits for them alone, and not for the indexes.
-- A process number is given again, and in a container often the same one: when the process began tells them apart.
ALTER TABLE leases ADD COLUMN started text NOT NULL DEFAULT '';

-- What a model could not word waits behind what it has not seen: else the oldest refused rows fill every batch.
ALTER TABLE memories ADD COLUMN model_tried timestamptz;
ALTER TABLE memory_contributions ADD COLUMN model_tried timestamptz;
