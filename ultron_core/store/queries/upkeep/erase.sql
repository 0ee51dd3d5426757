-- name: sessions
-- All generations of the file that a key, an id, or agent and file name, stand for, with the path it was read from.
WITH named AS (
    SELECT agent_id, session_file FROM sessions
    WHERE account_id = %(account_id)s
        AND %(named)s IN (partition_key, id::text, agent_id || '/' || session_file)
)
SELECT s.id, s.agent_id, s.session_file, s.partition_key, s.content_sha256, s.message_count, f.private_path,
    (SELECT count(*) FROM task_segments t WHERE t.session_id = s.id) AS segments
FROM sessions s LEFT JOIN source_files f USING (account_id, agent_id, session_file)
WHERE s.account_id = %(account_id)s AND (s.agent_id, s.session_file) IN (SELECT agent_id, session_file FROM named)
ORDER BY s.generation;

-- name: memories
-- Memories that these sessions gave; `shared` when something else gave them too. Those that lost their last source
-- before cannot be told apart any more: all of the agent count.
SELECT m.id, m.memory_type, EXISTS (
        SELECT FROM memory_sources s
        WHERE s.memory_id = m.id AND (s.session_id IS NULL OR NOT s.session_id = ANY(%(sessions)s))
    ) AS shared
FROM memories m
WHERE m.account_id = %(account_id)s AND (
    m.id IN (SELECT memory_id FROM memory_sources WHERE session_id = ANY(%(sessions)s))
    OR m.agent_id = %(agent_id)s AND m.archive_reason = 'no_source_left'
        AND NOT EXISTS (SELECT FROM memory_sources s WHERE s.memory_id = m.id))
ORDER BY m.id;

-- name: counts
-- What else is held of a file: archived bytes, answers of the model that cannot be told apart, imported outcomes.
SELECT (SELECT count(*) FROM raw_uploads WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s
        AND session_file = %(session_file)s) AS uploads,
    (SELECT count(*) FROM llm_cache WHERE account_id = %(account_id)s) AS answers,
    (SELECT count(*) FROM outcomes WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s
        AND session_file = %(session_file)s) AS outcomes;

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

-- name: retract_parts
-- What these sessions gave to memories that stay, and parts whose source is gone already.
DELETE FROM memory_contributions c
WHERE c.account_id = %(account_id)s AND c.memory_id = ANY(%(memories)s) AND (c.source_id IS NULL OR c.source_id IN (
    SELECT id FROM memory_sources WHERE session_id = ANY(%(sessions)s)));

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
-- What is left of memories that stay, what they were first made of before what was merged in.
SELECT memory_id, id, content, context, resolution, tags, trust, proof, lesson, probability, cure
FROM memory_contributions
WHERE account_id = %(account_id)s AND memory_id = ANY(%(memories)s)
ORDER BY memory_id, merged, contributed_at, id;

-- name: restart_parts
-- The first part is the body now; a model has yet to word the others into it.
UPDATE memory_contributions SET merged = NOT id = ANY(%(first)s), pending_merge = %(pending)s AND NOT id = ANY(%(first)s)
WHERE account_id = %(account_id)s AND memory_id = ANY(%(memories)s);

-- name: files
-- Ledger, outcomes, leases and archived bytes of a file; bytes go when nothing else points at them.
WITH ledger AS (
    DELETE FROM source_files
    WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s
), told AS (
    DELETE FROM outcomes
    WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s
), held AS (
    DELETE FROM leases WHERE account_id = %(account_id)s AND (row_id = ANY(%(sessions)s)
        OR row_id IN (SELECT id FROM task_segments WHERE session_id = ANY(%(sessions)s)))
), cached AS (
    DELETE FROM llm_cache WHERE account_id = %(account_id)s
), uploads AS (
    DELETE FROM raw_uploads
    WHERE account_id = %(account_id)s AND agent_id = %(agent_id)s AND session_file = %(session_file)s
    RETURNING id, sha256
)
DELETE FROM raw_blobs b WHERE b.sha256 IN (SELECT sha256 FROM uploads) AND NOT EXISTS (
    SELECT FROM raw_uploads u WHERE u.sha256 = b.sha256 AND NOT u.id IN (SELECT id FROM uploads));

-- name: delete_sessions
-- The sessions, with messages, windows, segments, drops, drafts and sources.
DELETE FROM sessions WHERE account_id = %(account_id)s AND id = ANY(%(sessions)s);
