-- name: files
-- The next files that a scope takes, each with the path it was read from. A file goes with all generations; one of which
-- nothing could be read has none.
SELECT agent_id, session_file, f.private_path, max(coalesce(s.partition_key, f.partition_key)) AS partition_key
FROM sessions s FULL JOIN source_files f USING (account_id, agent_id, session_file)
WHERE account_id = %(account_id)s AND CASE %(kind)s::text
        WHEN 'session' THEN %(named)s::text
            IN (s.partition_key, f.partition_key, s.id::text, agent_id || '/' || session_file)
        WHEN 'project' THEN s.project = %(named)s::text
        WHEN 'agent' THEN agent_id = %(named)s::text
        WHEN 'before' THEN true
        WHEN 'account' THEN true
    END
GROUP BY 1, 2, 3
HAVING %(kind)s::text <> 'before' OR max(coalesce(s.ended_at, s.changed_at)) < %(before)s::timestamptz
ORDER BY 1, 2 LIMIT %(limit)s;

-- name: sessions
-- All generations of some files.
SELECT s.id, s.agent_id, s.session_file, s.partition_key, s.content_sha256, s.log_id
FROM sessions s JOIN unnest(%(agents)s::text[], %(files)s::text[]) AS f(agent_id, session_file)
    USING (agent_id, session_file)
WHERE s.account_id = %(account_id)s ORDER BY s.agent_id, s.session_file, s.generation;

-- name: texts
-- The next texts that a scope takes; the project of a text is that of what it gave.
SELECT u.id FROM raw_uploads u
WHERE u.account_id = %(account_id)s AND u.kind = 'ingest_text' AND CASE %(kind)s::text
        WHEN 'agent' THEN u.agent_id = %(named)s::text
        WHEN 'before' THEN u.created_at < %(before)s::timestamptz
        WHEN 'project' THEN EXISTS (
            SELECT FROM memory_sources s WHERE s.raw_upload_id = u.id AND s.project = %(named)s::text)
        WHEN 'account' THEN true
    END
ORDER BY u.id LIMIT %(limit)s;

-- name: uploads
-- The next sources that a scope takes by themselves: memories that were handed in; of a memory all that its agent gave.
SELECT s.id FROM memory_sources s
WHERE s.account_id = %(account_id)s AND CASE %(kind)s::text
        WHEN 'agent' THEN s.kind = 'upload' AND s.agent_id = %(named)s::text
        WHEN 'before' THEN s.kind = 'upload' AND s.created_at < %(before)s::timestamptz
        WHEN 'project' THEN s.kind = 'upload' AND s.project = %(named)s::text
        WHEN 'account' THEN s.kind = 'upload'
        WHEN 'memory' THEN s.memory_id = %(memory)s::uuid AND s.agent_id = ANY(%(owners)s::text[])
    END
ORDER BY s.id LIMIT %(limit)s;

-- name: givers
-- Agents that gave parts of a memory; `owner` is the one whose it is.
SELECT DISTINCT c.agent_id, m.agent_id AS owner FROM memories m JOIN memory_contributions c ON c.memory_id = m.id
WHERE m.account_id = %(account_id)s AND m.id = %(memory)s::uuid;

-- name: gone_parts
-- Parts of memories that go: what these sessions, texts and uploads gave, also where its segment was cut again since; of a
-- memory that is named, what its agent gave; and parts of these agents of which nobody knows any more where they come from.
SELECT c.id FROM memory_contributions c LEFT JOIN memory_sources s ON s.id = c.source_id
WHERE c.account_id = %(account_id)s AND (
    c.session_id = ANY(%(sessions)s::uuid[]) OR s.session_id = ANY(%(sessions)s::uuid[])
    OR s.raw_upload_id = ANY(%(texts)s::uuid[]) OR s.id = ANY(%(uploads)s::uuid[])
    OR c.source_id IS NULL AND (
        c.session_id = ANY(%(lost)s::uuid[])
        OR c.session_id IS NULL AND c.agent_id = ANY(%(agents)s::text[])
        OR c.agent_id = %(of_agent)s::text)
    OR c.memory_id = %(memory)s::uuid AND c.agent_id = ANY(%(owners)s::text[]));

-- name: memories
-- Memories that lose a part or a source; `shared` when another part stays.
SELECT m.id, EXISTS (
        SELECT FROM memory_contributions c WHERE c.memory_id = m.id AND NOT c.id = ANY(%(parts)s::uuid[])
    ) AS shared
FROM memories m
WHERE m.account_id = %(account_id)s AND m.id IN (
    SELECT memory_id FROM memory_contributions WHERE id = ANY(%(parts)s::uuid[])
    UNION SELECT memory_id FROM memory_sources WHERE session_id = ANY(%(sessions)s::uuid[])
        OR raw_upload_id = ANY(%(texts)s::uuid[]) OR id = ANY(%(uploads)s::uuid[]))
ORDER BY m.id;

-- name: words
-- What memories and the parts that go have ever said.
SELECT content, context, resolution FROM memories WHERE account_id = %(account_id)s AND id = ANY(%(own)s)
UNION SELECT content, context, resolution FROM memory_versions
WHERE account_id = %(account_id)s AND memory_id = ANY(%(own)s)
UNION SELECT content, context, resolution FROM memory_contributions
WHERE account_id = %(account_id)s AND id = ANY(%(parts)s);

-- name: copies
-- Other files with the same bytes.
SELECT DISTINCT partition_key FROM sessions
WHERE account_id = %(account_id)s AND content_sha256 = ANY(%(sha256s)s) AND NOT id = ANY(%(sessions)s)
ORDER BY partition_key;

-- name: datasets
-- Datasets that hold a row of these sessions.
SELECT DISTINCT e.path FROM sft_exports e JOIN sft_export_rows r ON r.export_id = e.id
WHERE e.account_id = %(account_id)s AND r.session_id = ANY(%(sessions)s) ORDER BY e.path;

-- name: adapters
-- Runs that were trained on a row of these sessions, and those that go on from one.
WITH RECURSIVE hit AS (
    SELECT r.run_id AS id FROM training_rows r
    WHERE r.account_id = %(account_id)s AND r.session_id = ANY(%(sessions)s) AND r.fate = 'train'
    UNION
    SELECT t.id FROM training_runs t JOIN hit h ON t.parent_id = h.id
)
SELECT t.path FROM training_runs t JOIN hit h ON t.id = h.id WHERE t.status = 'finished' ORDER BY t.path;

-- name: lock_files
-- One writer a file at a time: the locks of `log/sessions.lock_file`, in one order.
SELECT pg_advisory_xact_lock(hashtextextended('session:' || %(account_id)s || '/' || f.agent_id || '/' || f.session_file, 0))
FROM (SELECT * FROM unnest(%(agents)s::text[], %(files)s::text[]) AS g(agent_id, session_file) ORDER BY 1, 2) f;

-- name: retract_parts
-- Parts that go, of memories that stay.
DELETE FROM memory_contributions WHERE account_id = %(account_id)s AND id = ANY(%(parts)s);

-- name: retract_sources
-- Sources that go by themselves.
DELETE FROM memory_sources WHERE account_id = %(account_id)s AND id = ANY(%(uploads)s);

-- name: forget_notes
-- What a model noted of the segments that these sources stand for, before it became memories.
UPDATE task_segments SET model_notes = NULL
WHERE account_id = %(account_id)s AND model_notes IS NOT NULL
    AND id IN (SELECT segment_id FROM memory_sources WHERE id = ANY(%(uploads)s));

-- name: forget_history
-- Older words, reasons and bodies of memories that stay: any of them may quote what is erased.
WITH old_words AS (
    DELETE FROM memory_versions WHERE account_id = %(account_id)s AND memory_id = ANY(%(memories)s)
), linked AS (
    UPDATE memory_links SET reason = ''
    WHERE account_id = %(account_id)s AND (from_id = ANY(%(memories)s) OR to_id = ANY(%(memories)s))
), made_of_nothing AS (
    DELETE FROM merge_decisions d WHERE d.account_id = %(account_id)s AND d.memory_id = ANY(%(memories)s)
        AND NOT EXISTS (SELECT FROM memory_contributions c WHERE c.id = d.contribution_id)
)
UPDATE merge_decisions d SET reason = '', body_before = NULL
WHERE d.account_id = %(account_id)s AND d.memory_id = ANY(%(memories)s)
    AND EXISTS (SELECT FROM memory_contributions c WHERE c.id = d.contribution_id);

-- name: forget_verdicts
-- What was said of words that memories which stay have no more.
DELETE FROM memory_verdicts v USING memories m
WHERE m.id = v.memory_id AND v.account_id = %(account_id)s AND v.memory_id = ANY(%(memories)s)
    AND v.body_sha256 <> m.body_sha256;

-- name: parts_left
-- The parts that stay of memories that stay, in the order in which they came, be their segments cut again since: what it
-- was made of before what was merged in.
SELECT c.memory_id, c.id, c.agent_id, c.content, c.context, c.resolution, c.tags, c.trust, c.proof, c.lesson, c.probability,
    c.cure, m.memory_type
FROM memory_contributions c JOIN memories m ON m.id = c.memory_id
LEFT JOIN LATERAL (SELECT min(d.created_at) AS at FROM merge_decisions d WHERE d.contribution_id = c.id) came ON true
WHERE c.account_id = %(account_id)s AND c.memory_id = ANY(%(memories)s) AND NOT c.id = ANY(%(parts)s)
ORDER BY c.memory_id, c.merged, coalesce(came.at, c.contributed_at), c.id;

-- name: move_parts
-- The memory that each part belongs to now, with its sources and the decision by which it came; the first of each is what
-- the memory is made of, and a model has yet to word some of the others into it.
WITH placed AS (
    SELECT * FROM unnest(%(parts)s::uuid[], %(places)s::uuid[]) AS p(id, memory_id)
), sourced AS (
    UPDATE memory_sources s SET memory_id = p.memory_id
    FROM placed p JOIN memory_contributions c ON c.id = p.id JOIN memory_sources o ON o.id = c.source_id
    WHERE s.account_id = %(account_id)s AND s.memory_id = c.memory_id AND s.memory_id <> p.memory_id
        AND (s.id = o.id OR s.segment_id = o.segment_id
            AND NOT EXISTS (SELECT FROM memory_contributions other WHERE other.source_id = s.id))
), decided AS (
    UPDATE merge_decisions d SET memory_id = p.memory_id FROM placed p
    WHERE d.contribution_id = p.id AND d.account_id = %(account_id)s AND d.memory_id <> p.memory_id
)
UPDATE memory_contributions c SET memory_id = p.memory_id, merged = NOT c.id = ANY(%(first)s),
    pending_merge = c.id = ANY(%(pending)s)
FROM placed p WHERE c.id = p.id AND c.account_id = %(account_id)s;

-- name: take_over
-- A memory belongs to the agent that gave its first part.
UPDATE memories m SET agent_id = c.agent_id FROM memory_contributions c
WHERE c.id = ANY(%(first)s) AND m.id = c.memory_id AND m.account_id = %(account_id)s AND m.agent_id <> c.agent_id;

-- name: leases
-- Work that is under way on what goes.
DELETE FROM leases WHERE account_id = %(account_id)s AND (row_id = ANY(%(sessions)s) OR row_id = ANY(%(texts)s)
    OR row_id IN (SELECT id FROM task_segments WHERE session_id = ANY(%(sessions)s)));

-- name: contents
-- The archived bytes that uploads which go point at.
SELECT DISTINCT sha256 FROM raw_uploads WHERE account_id = %(account_id)s AND (id = ANY(%(texts)s)
    OR (agent_id, session_file) IN (SELECT * FROM unnest(%(agents)s::text[], %(files)s::text[])));

-- name: blobs
-- Bytes that no upload points at any more.
DELETE FROM raw_blobs b WHERE b.sha256 = ANY(%(sha256s)s)
    AND NOT EXISTS (SELECT FROM raw_uploads u WHERE u.sha256 = b.sha256);

-- name: unused_blobs
-- All bytes that no upload points at.
DELETE FROM raw_blobs b WHERE NOT EXISTS (SELECT FROM raw_uploads u WHERE u.sha256 = b.sha256);

-- name: errors
-- What endpoints answered to calls that failed: it may quote what they were sent, and names no session.
UPDATE llm_calls SET error = 'erased' WHERE account_id = %(account_id)s AND error <> 'erased';

-- name: replays
-- How far an unfinished replay of redaction is, where that is told by the name of a file: it begins the table again.
UPDATE redaction_replays SET reached = NULL
WHERE account_id = %(account_id)s AND place = 'source_files' AND reached IS NOT NULL;

-- name: count_rows
-- How many rows of one table a scope takes.
SELECT {name} AS name, count(*) AS rows FROM {table} WHERE account_id = %(account_id)s AND ({condition});

-- name: delete_rows
-- These rows of one table.
DELETE FROM {table} WHERE account_id = %(account_id)s AND ({condition});

-- name: by_file
-- Rows of files and texts that go.
(agent_id, session_file) IN (SELECT * FROM unnest(%(agents)s::text[], %(files)s::text[]));

-- name: by_session
-- Rows of their sessions.
session_id = ANY(%(sessions)s::uuid[]);

-- name: by_segment
-- Rows of their segments.
segment_id IN (SELECT t.id FROM task_segments t WHERE t.session_id = ANY(%(sessions)s::uuid[]));

-- name: by_memory
-- Rows of memories that nothing else gave.
{column} = ANY(%(own)s::uuid[]);

-- name: by_id
-- Texts that go.
id = ANY(%(texts)s::uuid[]);

-- name: by_agent
-- Rows that name an agent.
agent_id = %(named)s::text;

-- name: erasure
-- The erasure of this scope that was begun and is not done.
SELECT id, cursor, counts FROM erasures
WHERE account_id = %(account_id)s AND scope = %(scope)s AND done_at IS NULL;

-- name: advance
-- How far an erasure is; the first step makes its row.
INSERT INTO erasures (id, account_id, scope, cursor, counts, asked_at, done_at)
VALUES (%(id)s, %(account_id)s, %(scope)s, %(cursor)s, %(counts)s, %(now)s, %(done_at)s)
ON CONFLICT (id) DO UPDATE SET
    cursor = excluded.cursor, counts = excluded.counts, done_at = excluded.done_at;

-- name: alone
-- One erasure an account at a time, until the connection ends.
SELECT pg_try_advisory_lock(hashtextextended('erase:' || %(account_id)s, 0)) AS mine;

-- name: make_key
-- The key of this account's hashes, made once.
INSERT INTO erasure_keys (account_id, key) VALUES (%(account_id)s, %(key)s) ON CONFLICT DO NOTHING;

-- name: key
-- It; nothing where nothing was erased yet.
SELECT key FROM erasure_keys WHERE account_id = %(account_id)s;

-- name: remember
-- Hashes of what is erased.
INSERT INTO erased_logs (account_id, digest) SELECT %(account_id)s, d FROM unnest(%(digests)s::bytea[]) AS d
ON CONFLICT DO NOTHING;

-- name: erased
-- Which of these were erased.
SELECT digest FROM erased_logs WHERE account_id = %(account_id)s AND digest = ANY(%(digests)s::bytea[]);

-- name: lift
-- These may be read again.
DELETE FROM erased_logs WHERE account_id = %(account_id)s AND digest = ANY(%(digests)s::bytea[]);

-- name: agents
-- Names of agents that have anything.
SELECT agent_id AS name FROM sessions WHERE account_id = %(account_id)s
UNION SELECT agent_id FROM memory_contributions WHERE account_id = %(account_id)s
UNION SELECT agent_id FROM raw_uploads WHERE account_id = %(account_id)s
UNION SELECT agent_id FROM source_files WHERE account_id = %(account_id)s ORDER BY 1;

-- name: projects
-- Names of projects that have anything.
SELECT project AS name FROM sessions WHERE account_id = %(account_id)s AND project IS NOT NULL
UNION SELECT project FROM memory_sources WHERE account_id = %(account_id)s AND project IS NOT NULL ORDER BY 1;

-- name: messages
-- Messages on some lines of the newest generation of a session.
WITH named AS (
    SELECT s.id FROM sessions s
    WHERE s.account_id = %(account_id)s AND (s.id::text LIKE %(short)s::text || '%%'
        OR %(named)s::text IN (s.partition_key, s.id::text, s.agent_id || '/' || s.session_file))
    ORDER BY s.generation DESC, s.id LIMIT 1
)
SELECT m.* FROM messages m JOIN named ON named.id = m.session_id
WHERE m.start_line <= %(last)s AND m.end_line >= %(first)s ORDER BY m.seq;

-- name: session_of
-- The session of a message, with the path that it was read from.
SELECT s.id, s.agent_id, s.session_file, s.partition_key, s.content_sha256, s.log_id, f.private_path
FROM sessions s LEFT JOIN source_files f USING (account_id, agent_id, session_file)
WHERE s.account_id = %(account_id)s AND s.id = %(id)s;

-- name: made_of
-- Tasks of a session that hold some of its messages, and sources of memories that rest on these tasks or lines.
WITH said AS (
    SELECT thread, start_line, end_line FROM messages WHERE session_id = %(session_id)s AND seq = ANY(%(seqs)s::integer[])
), cut AS (
    SELECT DISTINCT t.id FROM task_segments t JOIN said m
        ON t.thread = m.thread AND t.start_line <= m.end_line AND t.end_line >= m.start_line
    WHERE t.session_id = %(session_id)s AND t.account_id = %(account_id)s
)
SELECT 'segment' AS kind, id FROM cut
UNION
SELECT 'source', s.id FROM memory_sources s
WHERE s.account_id = %(account_id)s AND s.session_id = %(session_id)s AND (s.segment_id IN (SELECT id FROM cut)
    OR EXISTS (SELECT FROM said m WHERE s.start_line <= m.end_line AND s.end_line >= m.start_line));

-- name: empty_messages
-- The words go; where a message stands, who said it and when stay.
UPDATE messages m SET content = '', tool_calls = NULL, reasoning = NULL, parts = NULL, name = NULL, digest = e.digest
FROM unnest(%(roles)s::text[], %(digests)s::text[]) AS e(role, digest)
WHERE m.session_id = %(session_id)s AND m.account_id = %(account_id)s AND m.seq = ANY(%(seqs)s::integer[])
    AND e.role = m.role;

-- name: cut_again
-- Tasks that held them go with all that was made of them, and so do the windows; both are made again. The fate of their
-- lines is `erased`.
WITH cut AS (
    DELETE FROM task_segments WHERE account_id = %(account_id)s AND id = ANY(%(segments)s::uuid[])
), found AS (
    DELETE FROM message_windows WHERE account_id = %(account_id)s AND session_id = %(session_id)s
)
UPDATE sessions SET segmented = 0, attempts = 0, next_try = NULL, windowed = NULL, window_attempts = 0,
    window_next_try = NULL, reported = false, updated_at = %(now)s,
    lines = lines || jsonb_build_object('message', (lines ->> 'message')::bigint - least(%(erased)s, (lines ->> 'message')::bigint),
        'skipped', (lines -> 'skipped') || jsonb_build_object('erased', coalesce((lines -> 'skipped' ->> 'erased')::bigint, 0)
            + least(%(erased)s, (lines ->> 'message')::bigint)))
WHERE account_id = %(account_id)s AND id = %(session_id)s;

-- name: bodies
-- Archived bytes.
SELECT sha256, body FROM raw_blobs WHERE sha256 = ANY(%(sha256s)s);

-- name: unstored_blobs
-- Bytes of a file that no upload holds any more.
DELETE FROM raw_blobs b WHERE b.sha256 IN (SELECT u.sha256 FROM raw_uploads u
        WHERE u.account_id = %(account_id)s AND u.agent_id = %(agent_id)s AND u.session_file = %(session_file)s
        UNION SELECT unnest(%(sha256s)s::text[]))
    AND NOT EXISTS (SELECT FROM raw_uploads u WHERE u.sha256 = b.sha256 AND u.stored);

-- name: point_uploads
-- Uploads of a file have other bytes now, or none.
UPDATE raw_uploads SET sha256 = %(new)s, stored = %(stored)s
WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s AND sha256 = %(old)s;

-- name: note_blanked
-- The file is as it was read, but for the lines that were blanked.
WITH ledger AS (
    UPDATE source_files SET size = %(size)s, mtime_ns = %(mtime_ns)s, sha256 = %(sha256)s
    WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s
)
UPDATE sessions SET content_sha256 = %(sha256)s, bytes = %(size)s
WHERE account_id = %(account_id)s AND id = %(session_id)s;

-- name: answers
-- What models answered: it names no session.
DELETE FROM llm_cache WHERE account_id = %(account_id)s;
