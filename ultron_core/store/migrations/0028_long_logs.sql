-- A long log is read task by task: an index that finds the messages of one thread from any place on, and where a task
-- begins among the messages of its session. Tasks that were cut before are found by their position in the thread.
CREATE INDEX messages_thread ON messages (session_id, thread, seq);

-- The column comes last: whoever reads tasks waits for it alone, and not for the index.
ALTER TABLE task_segments ADD COLUMN start_seq integer;
