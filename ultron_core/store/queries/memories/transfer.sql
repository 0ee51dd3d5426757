-- name: page
-- The next memories after an id with all that belongs to them, each of its rows whole but for its account and its memory;
-- of a source the log as words, and of the model in use the vector if `vectors` asks for it.
SELECT to_jsonb(m) - 'account_id' AS memory,
    (SELECT to_jsonb(u) - '{account_id,memory_id}'::text[] FROM memory_usage u WHERE u.memory_id = m.id) AS usage,
    (SELECT jsonb_agg(to_jsonb(s) - '{account_id,memory_id,session_id,segment_id,cited}'::text[] || jsonb_build_object(
            'project', coalesce(e.project, s.project),
            'log', CASE WHEN e.id IS NULL THEN s.cited ELSE jsonb_build_object(
                'agent_id', e.agent_id, 'session_file', e.session_file, 'partition_key', e.partition_key,
                'generation', e.generation, 'thread', t.thread, 'fingerprint', t.fingerprint,
                'occurrence', t.occurrence, 'segment_index', t.segment_index, 'topic', t.topic) END)
        ORDER BY s.created_at, s.id)
     FROM memory_sources s LEFT JOIN sessions e ON e.id = s.session_id LEFT JOIN task_segments t ON t.id = s.segment_id
     WHERE s.memory_id = m.id) AS sources,
    (SELECT jsonb_agg(to_jsonb(c) - '{account_id,memory_id,session_id}'::text[] ORDER BY c.contributed_at, c.id)
     FROM memory_contributions c WHERE c.memory_id = m.id) AS contributions,
    (SELECT jsonb_agg(to_jsonb(d) - '{account_id,memory_id}'::text[] ORDER BY d.created_at, d.id)
     FROM merge_decisions d WHERE d.memory_id = m.id) AS decisions,
    (SELECT jsonb_agg(to_jsonb(l) - '{account_id,from_id}'::text[] ORDER BY l.to_id, l.kind)
     FROM memory_links l WHERE l.from_id = m.id) AS links,
    (SELECT jsonb_agg(to_jsonb(v) - '{account_id,memory_id}'::text[] ORDER BY v.version)
     FROM memory_versions v WHERE v.memory_id = m.id) AS versions,
    (SELECT jsonb_agg(to_jsonb(v) - '{account_id,memory_id}'::text[] ORDER BY v.body_sha256, v.given_by)
     FROM memory_verdicts v WHERE v.memory_id = m.id) AS verdicts,
    x.exact AS vector
FROM memories m
LEFT JOIN memory_vectors x ON %(vectors)s AND x.memory_id = m.id AND x.model_id = %(model_id)s
WHERE m.account_id = %(account_id)s AND (%(after)s::uuid IS NULL OR m.id > %(after)s)
ORDER BY m.id LIMIT %(limit)s;

-- name: columns
-- What these tables hold, in order; `required` are those that have to be given.
SELECT table_name, column_name, udt_name = 'uuid' AS is_id, is_nullable = 'NO' AND column_default IS NULL AS required
FROM information_schema.columns WHERE table_schema = 'ultron' AND table_name = ANY(%(tables)s)
ORDER BY table_name, ordinal_position;

-- name: present
-- Those of these memories that are there, whoever has them, as they are.
SELECT m.id, m.account_id = %(account_id)s AS own, to_jsonb(m) - 'account_id' AS memory
FROM memories m WHERE m.id = ANY(%(ids)s);

-- name: present_ids
-- Which of these the account has.
SELECT id FROM memories WHERE account_id = %(account_id)s AND id = ANY(%(ids)s);

-- name: same_bodies
-- Memories with one of these bodies.
SELECT m.id, m.memory_type, m.body_sha256 FROM memories m
WHERE m.account_id = %(account_id)s AND m.memory_type = ANY(%(types)s) AND m.body_sha256 = ANY(%(digests)s)
ORDER BY m.status, m.created_at, m.id;

-- name: present_parts
-- Those of these contributions that are there, with the memory that has them.
SELECT id, memory_id FROM memory_contributions WHERE id = ANY(%(ids)s);

-- name: logs
-- Tasks of logs that are here, each by its place among those asked for.
SELECT g.place, e.id AS session_id, t.id AS segment_id
FROM jsonb_to_recordset(%(logs)s) AS g(place integer, agent_id text, session_file text, generation integer, thread text,
    fingerprint text, occurrence integer)
JOIN sessions e ON e.account_id = %(account_id)s AND e.agent_id = g.agent_id AND e.session_file = g.session_file
    AND e.generation = g.generation
JOIN task_segments t ON t.session_id = e.id AND t.thread = g.thread AND t.fingerprint = g.fingerprint
    AND t.occurrence = g.occurrence;

-- name: texts
-- Texts of the account that are here.
SELECT id FROM raw_uploads WHERE account_id = %(account_id)s AND id = ANY(%(ids)s);

-- name: copy
-- Rows as they stood in another store; a column that is not given has its default.
INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_populate_recordset(NULL::{table}, %(rows)s);

-- name: copy_links
-- Links of memories that are both here.
INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_populate_recordset(NULL::{table}, %(rows)s) g
WHERE EXISTS (SELECT FROM memories m WHERE m.id = g.from_id AND m.account_id = g.account_id)
    AND EXISTS (SELECT FROM memories m WHERE m.id = g.to_id AND m.account_id = g.account_id)
ON CONFLICT DO NOTHING;

-- name: try_lock
-- One import an account at a time; let go with the connection.
SELECT pg_try_advisory_lock(hashtextextended('import:' || %(account_id)s, 0)) AS got;
