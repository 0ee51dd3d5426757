-- name: memories
-- Memories whose ids lie between two, with what each says.
SELECT id, left(summary_l0, 100) AS told FROM memories
WHERE account_id = %(account_id)s AND id BETWEEN %(low)s AND %(high)s ORDER BY id LIMIT 100;

-- name: clusters
-- Clusters whose ids lie between two, with what each is about.
SELECT cluster_id AS id, left(topic, 100) AS told FROM clusters
WHERE account_id = %(account_id)s AND cluster_id BETWEEN %(low)s AND %(high)s ORDER BY 1 LIMIT 100;

-- name: agent
-- Whether an agent has logs, or gave a memory.
SELECT 1 AS known WHERE EXISTS (
        SELECT FROM sessions WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s)
    OR EXISTS (SELECT FROM memory_contributions WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s);

-- name: agents
-- Every agent that has logs, or gave a memory.
SELECT agent_id FROM sessions WHERE account_id = %(account_id)s
UNION SELECT agent_id FROM memory_contributions WHERE account_id = %(account_id)s ORDER BY 1;

-- name: sessions
-- The sessions that a key, agent and file name, a file name, or the beginning of an id stand for.
SELECT id, agent_id || '/' || session_file AS name FROM sessions
WHERE account_id = %(account_id)s AND (id BETWEEN %(low)s::uuid AND %(high)s::uuid
    OR %(named)s IN (partition_key, agent_id || '/' || session_file, session_file,
        substring(session_file FROM '[^/]+$')))
ORDER BY name, generation;

-- name: session_names
-- What all sessions are called.
SELECT DISTINCT agent_id || '/' || session_file AS name FROM sessions WHERE account_id = %(account_id)s;
