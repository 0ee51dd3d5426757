-- name: find_memory
-- Memories whose id starts with these characters.
SELECT id FROM memories WHERE account_id = %(account_id)s AND id::text LIKE %(prefix)s || '%%' ORDER BY id LIMIT 3;

-- name: decisions
-- How a memory came to be what it is.
SELECT id, decision, reason, score, threshold, other_id, decided_by, undone_at, created_at FROM merge_decisions
WHERE account_id = %(account_id)s AND memory_id = %(memory_id)s ORDER BY created_at, id;

-- name: table_counts
-- Rows of the tables that people ask about.
SELECT (SELECT count(*) FROM memories WHERE account_id = %(account_id)s) AS memories,
    (SELECT count(*) FROM clusters WHERE account_id = %(account_id)s) AS clusters,
    (SELECT count(*) FROM drops WHERE account_id = %(account_id)s) AS drops,
    (SELECT count(*) FROM sft_exports WHERE account_id = %(account_id)s) AS sft_exports,
    (SELECT count(*) FROM message_windows WHERE account_id = %(account_id)s) AS message_windows,
    pg_database_size(current_database()) AS database_bytes;

-- name: projects
-- What is stored of each project, the largest first; those that no log names stand together at the end.
WITH logs AS (
    SELECT project, count(*) AS sessions, sum(message_count)::bigint AS messages FROM sessions
    WHERE account_id = %(account_id)s GROUP BY 1
), learned AS (
    SELECT coalesce(e.project, p.project) AS project, count(DISTINCT m.id) AS memories
    FROM memories m JOIN memory_sources p ON p.memory_id = m.id LEFT JOIN sessions e ON e.id = p.session_id
    WHERE m.account_id = %(account_id)s AND m.status = 'active' GROUP BY 1
)
SELECT coalesce(l.project, k.project) AS project, coalesce(l.sessions, 0) AS sessions,
    coalesce(l.messages, 0) AS messages, coalesce(k.memories, 0) AS memories
FROM logs l FULL JOIN learned k ON coalesce(k.project, '') = coalesce(l.project, '')
ORDER BY coalesce(l.project, k.project) IS NULL, memories DESC, sessions DESC, project;
