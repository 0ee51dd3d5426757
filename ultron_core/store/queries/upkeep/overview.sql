-- name: table_counts
-- Rows of the tables that people ask about.
SELECT (SELECT count(*) FROM memories WHERE account_id = %(account_id)s) AS memories,
    (SELECT count(*) FROM clusters WHERE account_id = %(account_id)s) AS clusters,
    (SELECT count(*) FROM drops WHERE account_id = %(account_id)s) AS drops,
    (SELECT count(*) FROM sft_exports WHERE account_id = %(account_id)s) AS sft_exports,
    (SELECT count(*) FROM message_windows WHERE account_id = %(account_id)s) AS message_windows,
    pg_database_size(current_database()) AS database_bytes;

-- name: projects
-- What is stored of each project, the largest first; what no log names stands together at the end.
SELECT project, sum(sessions)::bigint AS sessions, sum(messages)::bigint AS messages, sum(memories)::bigint AS memories
FROM (
    SELECT project, 1 AS sessions, message_count AS messages, 0 AS memories FROM sessions
    WHERE account_id = %(account_id)s
    UNION ALL
    SELECT coalesce(e.project, p.project), 0, 0, count(DISTINCT m.id)
    FROM memories m JOIN memory_sources p ON p.memory_id = m.id LEFT JOIN sessions e ON e.id = p.session_id
    WHERE m.account_id = %(account_id)s AND m.status = 'active' GROUP BY 1
) AS counted
GROUP BY project ORDER BY project IS NULL, 4 DESC, 2 DESC, 1;

-- name: holdings
-- What an empty answer was looked for in.
SELECT (SELECT count(*) FROM sessions WHERE account_id = %(account_id)s) AS sessions,
    (SELECT count(*) FROM memories WHERE account_id = %(account_id)s AND status = 'active') AS memories,
    (SELECT count(*) FROM memories WHERE account_id = %(account_id)s AND status = 'claimed') AS claimed;

-- name: places
-- Where the logs that a memory rests on are on this machine, for their owner: not of a log that was rotated away.
SELECT ms.id, f.private_path FROM memory_sources ms
JOIN sessions s ON s.id = ms.session_id
JOIN source_files f ON (f.account_id, f.agent_id, f.session_file) = (s.account_id, s.agent_id, s.session_file)
WHERE ms.account_id = %(account_id)s AND ms.memory_id = %(memory_id)s AND f.private_path IS NOT NULL
    AND NOT EXISTS (SELECT FROM sessions n WHERE n.account_id = s.account_id AND n.agent_id = s.agent_id
        AND n.session_file = s.session_file AND n.generation > s.generation);

-- name: table_sizes
-- Bytes of every table with its indexes and long values, the largest first.
SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'ultron' AND c.relkind = 'r' ORDER BY 2 DESC, 1;
