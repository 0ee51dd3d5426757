-- Which project a session belongs to. The path of its root is private, as `source_files.private_path` is; name and
-- remote are redacted. Sessions from before learn theirs when their file is read again.
ALTER TABLE sessions ADD COLUMN project text, ADD COLUMN project_remote text, ADD COLUMN private_root bytea;
CREATE INDEX sessions_project ON sessions (account_id, project) WHERE project IS NOT NULL;
-- of a memory that somebody uploaded for a project; one from a log has the project of its session
ALTER TABLE memory_sources ADD COLUMN project text;
CREATE INDEX memory_sources_session ON memory_sources (session_id) WHERE session_id IS NOT NULL;
