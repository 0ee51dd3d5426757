-- name: sessions_named
-- For each of `names` the sessions that it may mean: an id, a partition key, a file, or the end of a file's path. Each way
-- is a join that an index serves; the end of a path is the beginning of the reversed one, from `/` up to the next
-- character, which is `0`.
WITH named AS (
    SELECT DISTINCT name, reverse(name) COLLATE "C" AS backwards FROM unnest(%(names)s::text[]) AS n(name)
), found AS (
    SELECT n.name, s.id FROM named n JOIN sessions s ON s.account_id = %(account_id)s AND s.partition_key = n.name
    UNION
    SELECT n.name, s.id FROM named n JOIN sessions s ON s.account_id = %(account_id)s
        AND reverse(s.session_file) COLLATE "C" = n.backwards
    UNION
    SELECT n.name, s.id FROM named n JOIN sessions s ON s.account_id = %(account_id)s
        AND reverse(s.session_file) COLLATE "C" >= n.backwards || '/'
        AND reverse(s.session_file) COLLATE "C" < n.backwards || '0'
    UNION
    SELECT n.name, s.id FROM named n JOIN sessions s ON s.account_id = %(account_id)s
        AND s.id = CASE WHEN n.name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN n.name::uuid END
)
SELECT DISTINCT f.name, s.agent_id, s.session_file FROM found f JOIN sessions s USING (id);

-- name: put_outcomes
-- The newest word on each session.
INSERT INTO outcomes (account_id, agent_id, session_file, reward, success, task_id, source, imported_at)
SELECT %(account_id)s, o.agent_id, o.session_file, o.reward, o.success, o.task_id, o.source, %(now)s
FROM unnest(%(agents)s::text[], %(files)s::text[], %(rewards)s::float8[], %(successes)s::bool[], %(tasks)s::text[],
    %(sources)s::text[]) AS o(agent_id, session_file, reward, success, task_id, source)
ON CONFLICT (account_id, agent_id, session_file) DO UPDATE SET reward = EXCLUDED.reward, success = EXCLUDED.success,
    task_id = EXCLUDED.task_id, source = EXCLUDED.source, imported_at = EXCLUDED.imported_at;
