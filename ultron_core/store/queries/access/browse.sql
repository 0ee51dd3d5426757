-- name: memories
-- One page of memories, in one of three orders, each the highest first; it begins behind the memory that the last one
-- ended with. Planned for what is asked: what is not asked for is folded away, and an order by time walks its index.
WITH confirmed AS (
    SELECT v.memory_id FROM memory_verdicts v JOIN memories own ON own.id = v.memory_id
    WHERE v.account_id = %(account_id)s AND v.verdict = 'confirmed' AND v.body_sha256 = own.body_sha256
)
SELECT m.id, m.created_at, u.hit_count, u.last_hit_at FROM memories m JOIN memory_usage u ON u.memory_id = m.id
WHERE m.account_id = %(account_id)s AND m.status = %(status)s
    AND (%(memory_type)s::text IS NULL OR m.memory_type = %(memory_type)s)
    AND (%(tier)s::text IS NULL OR u.tier = %(tier)s)
    AND (%(tag)s::text IS NULL OR m.tags @> ARRAY[%(tag)s::text])
    AND (%(since)s::timestamptz IS NULL OR m.created_at >= %(since)s)
    AND (%(until)s::timestamptz IS NULL OR m.created_at <= %(until)s)
    AND (%(agent_id)s::text IS NULL OR m.id IN (SELECT part.memory_id FROM memory_contributions part
        WHERE part.account_id = %(account_id)s AND part.agent_id = %(agent_id)s))
    AND (%(sessions)s::uuid[] IS NULL OR m.id IN (
        SELECT p.memory_id FROM memory_sources p WHERE p.session_id = ANY(%(sessions)s)))
    AND (%(cluster_id)s::uuid IS NULL OR m.id IN (
        SELECT c.memory_id FROM cluster_members c WHERE c.cluster_id = %(cluster_id)s))
    AND (%(project)s::text IS NULL OR m.id IN (
        SELECT p.memory_id FROM sessions e JOIN memory_sources p ON p.session_id = e.id
        WHERE e.account_id = %(account_id)s AND e.project = %(project)s
        UNION ALL
        SELECT p.memory_id FROM memory_sources p LEFT JOIN sessions e ON e.id = p.session_id
        WHERE p.account_id = %(account_id)s AND p.project = %(project)s AND e.project IS NULL))
    AND (%(proof)s::text IS NULL
        OR %(proof)s = 'person' AND m.id IN (SELECT memory_id FROM confirmed)
        OR m.proof = %(proof)s AND (%(proof)s = 'person' OR m.id NOT IN (SELECT memory_id FROM confirmed)))
    AND (%(after_id)s::uuid IS NULL OR CASE %(sort)s::text
        WHEN 'time' THEN (m.created_at, m.id) < (%(after_time)s::timestamptz, %(after_id)s)
        WHEN 'hits' THEN (u.hit_count, m.id) < (%(after_hits)s::bigint, %(after_id)s)
        ELSE (coalesce(u.last_hit_at, '-infinity'), m.id)
            < (coalesce(%(after_time)s::timestamptz, '-infinity'), %(after_id)s) END)
ORDER BY CASE WHEN %(sort)s = 'time' THEN m.created_at END DESC,
    CASE WHEN %(sort)s = 'hits' THEN u.hit_count END DESC,
    CASE WHEN %(sort)s = 'last_hit' THEN coalesce(u.last_hit_at, '-infinity') END DESC,
    m.id DESC
LIMIT %(limit)s;

-- name: sessions
-- One page of sessions, the one that grew last first.
SELECT s.id, s.agent_id, s.session_file, s.partition_key, s.generation, s.format, s.harness, s.model, s.project,
    s.status, s.error, s.message_count, s.bytes, s.started_at, s.ended_at, s.changed_at, s.is_over,
    (SELECT count(*) FROM task_segments t WHERE t.session_id = s.id) AS segments,
    (SELECT count(DISTINCT ms.memory_id) FROM memory_sources ms WHERE ms.session_id = s.id) AS memories
FROM sessions s
WHERE s.account_id = %(account_id)s AND (%(agent_id)s::text IS NULL OR s.agent_id = %(agent_id)s)
    AND (%(project)s::text IS NULL OR s.project = %(project)s OR (%(project)s = '' AND s.project IS NULL))
    AND (%(session_id)s::uuid IS NULL OR s.id = %(session_id)s)
    AND (%(after_time)s::timestamptz IS NULL OR (s.changed_at, s.id) < (%(after_time)s, %(after_id)s::uuid))
ORDER BY s.changed_at DESC, s.id DESC LIMIT %(limit)s;

-- name: session_by_prefix
-- Sessions whose id begins with these characters.
SELECT id FROM sessions
WHERE account_id = %(account_id)s AND (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
    AND id::text LIKE %(prefix)s || '%%' ORDER BY id LIMIT 2;

-- name: lines
-- The messages that stand on some lines of a session, in file order.
SELECT start_line, end_line, thread, role, origin, name, content, tool_calls, is_error, sent_at FROM messages
WHERE session_id = %(session_id)s AND account_id = %(account_id)s
    AND start_line <= %(end)s AND end_line >= %(start)s ORDER BY seq LIMIT %(limit)s;

-- name: segments
-- The tasks of a session with what became of each.
SELECT t.id, t.thread, t.topic, t.start_line, t.end_line, t.closed, t.quality_metrics -> 'summary' AS summary,
    (SELECT count(DISTINCT ms.memory_id) FROM memory_sources ms WHERE ms.segment_id = t.id) AS memories
FROM task_segments t
WHERE t.session_id = %(session_id)s AND t.account_id = %(account_id)s ORDER BY t.segment_index;

-- name: segment
-- One task with its session and what was judged of it.
SELECT t.id, t.session_id, t.thread, t.topic, t.start_line, t.end_line, t.closed, t.quality_metrics,
    s.agent_id, s.session_file, s.project
FROM task_segments t JOIN sessions s ON s.id = t.session_id
WHERE t.id = %(segment_id)s AND t.account_id = %(account_id)s
    AND (%(agent_id)s::text IS NULL OR s.agent_id = %(agent_id)s);

-- name: learned
-- Memories that rest on a task.
SELECT DISTINCT memory_id AS id FROM memory_sources
WHERE segment_id = %(segment_id)s AND account_id = %(account_id)s ORDER BY 1;

-- name: projects
-- Projects with their sessions, the one that grew last first; NULL: what no log names.
SELECT project, count(*) AS sessions, sum(message_count)::bigint AS messages, max(changed_at) AS changed_at
FROM sessions WHERE account_id = %(account_id)s AND (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
GROUP BY 1 ORDER BY project IS NULL, 4 DESC, 1;

-- name: agents
-- Who has logs or memories here, with how much of it.
SELECT agent_id, sum(sessions)::bigint AS sessions, sum(memories)::bigint AS memories FROM (
    SELECT agent_id, count(*) AS sessions, 0 AS memories FROM sessions
    WHERE account_id = %(account_id)s GROUP BY 1
    UNION ALL
    SELECT agent_id, 0, count(*) FROM memories WHERE account_id = %(account_id)s AND status = 'active' GROUP BY 1
) both_kinds GROUP BY 1 ORDER BY 1;

-- name: known
-- What an agent should know of a project before it begins: rules that people gave come first, then what was used most.
SELECT m.id FROM memories m JOIN memory_usage u ON u.memory_id = m.id
WHERE m.account_id = %(account_id)s AND m.status = 'active' AND EXISTS (
    SELECT 1 FROM memory_sources p LEFT JOIN sessions e ON e.id = p.session_id
    WHERE p.memory_id = m.id AND coalesce(e.project, p.project) = %(project)s)
ORDER BY m.memory_type NOT IN ('preference', 'correction'),
    m.proof <> 'person',
    u.hit_count DESC, m.created_at DESC, m.id LIMIT %(limit)s;
