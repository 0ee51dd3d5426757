-- name: sessions_named
-- For each of `names` the sessions that it may mean: an id, a partition key, a file, or the end of a file's path.
SELECT DISTINCT n.name, s.agent_id, s.session_file
FROM unnest(%(names)s::text[]) AS n(name)
JOIN sessions s ON s.account_id = %(account_id)s AND (
    s.session_file = n.name OR s.partition_key = n.name OR s.id::text = n.name
    OR right(s.session_file, length(n.name) + 1) = '/' || n.name);

-- name: put_outcomes
-- The newest word on each session.
INSERT INTO outcomes (account_id, agent_id, session_file, reward, success, task_id, source, imported_at)
SELECT %(account_id)s, o.agent_id, o.session_file, o.reward, o.success, o.task_id, o.source, %(now)s
FROM unnest(%(agents)s::text[], %(files)s::text[], %(rewards)s::float8[], %(successes)s::bool[], %(tasks)s::text[],
    %(sources)s::text[]) AS o(agent_id, session_file, reward, success, task_id, source)
ON CONFLICT (account_id, agent_id, session_file) DO UPDATE SET reward = EXCLUDED.reward, success = EXCLUDED.success,
    task_id = EXCLUDED.task_id, source = EXCLUDED.source, imported_at = EXCLUDED.imported_at;
