-- The id that a log gives itself, as a hash: two logs with different ones are two sessions, whatever else they share.
-- NULL where the log has none, or was read before this was asked.
ALTER TABLE sessions ADD COLUMN log_id text;
CREATE INDEX sessions_log_id ON sessions (account_id, agent_id, log_id) WHERE log_id IS NOT NULL;
