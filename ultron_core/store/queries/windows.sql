-- name: existing
-- Windows that are stored, with what they were made of.
SELECT thread, start_seq, digest, terms, length, model_id FROM message_windows WHERE session_id = %(session_id)s;

-- name: sessions_without_vectors
-- Sessions with windows that the present embedder has not seen.
SELECT DISTINCT session_id FROM message_windows
WHERE account_id = %(account_id)s AND model_id IS DISTINCT FROM %(model_id)s LIMIT %(limit)s;

-- name: delete
-- Windows that are no more, or have other text now.
DELETE FROM message_windows w USING unnest(%(threads)s::text[], %(starts)s::integer[]) AS gone(thread, start_seq)
WHERE w.session_id = %(session_id)s AND w.thread = gone.thread AND w.start_seq = gone.start_seq;

-- name: insert
-- A window of a few turns.
INSERT INTO message_windows (session_id, thread, start_seq, end_seq, account_id, agent_id, start_line, end_line, sent_at,
    digest, terms, weights, length, model_id, embedding)
VALUES (%(session_id)s, %(thread)s, %(start_seq)s, %(end_seq)s, %(account_id)s, %(agent_id)s, %(start_line)s,
    %(end_line)s, %(sent_at)s, %(digest)s, %(terms)s, %(weights)s, %(length)s, %(model_id)s, %(vector)s::halfvec);

-- name: search
-- Windows of either lane with both scores.
WITH lexical AS (
    SELECT session_id, thread, start_seq FROM message_windows
    WHERE account_id = %(account_id)s AND terms && %(terms)s::integer[]
        AND (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
        AND (%(since)s::timestamptz IS NULL OR sent_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR sent_at < %(until)s)
    ORDER BY weights <#> %(query)s::sparsevec, session_id, start_seq LIMIT %(candidates)s
), nearest AS (
    SELECT session_id, thread, start_seq FROM message_windows
    WHERE account_id = %(account_id)s AND model_id = %(model_id)s AND %(vector)s::text IS NOT NULL
        AND (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
        AND (%(since)s::timestamptz IS NULL OR sent_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR sent_at < %(until)s)
    ORDER BY embedding <=> %(vector)s::halfvec, session_id, start_seq LIMIT %(candidates)s
), both_lanes AS (SELECT * FROM lexical UNION SELECT * FROM nearest)
SELECT w.session_id, w.thread, w.start_seq, w.end_seq, w.agent_id, w.start_line, w.end_line, w.sent_at,
    -(w.weights <#> %(query)s::sparsevec) AS bm25,
    coalesce(1 - (w.embedding <=> %(vector)s::halfvec), 0) AS cosine,
    s.session_file, s.partition_key, s.generation
FROM both_lanes JOIN message_windows w USING (session_id, thread, start_seq)
JOIN sessions s ON s.id = w.session_id;

-- name: text
-- The verbatim messages of a window.
SELECT role, content FROM messages
WHERE session_id = %(session_id)s AND account_id = %(account_id)s AND thread = %(thread)s
    AND seq BETWEEN %(start_seq)s AND %(end_seq)s AND content <> '' ORDER BY seq;
