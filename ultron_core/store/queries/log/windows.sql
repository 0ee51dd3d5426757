-- name: lock
-- One writer of windows and their word counts an account.
SELECT pg_advisory_xact_lock(hashtextextended('windows:' || %(account_id)s, 0));

-- name: contents
-- The bytes that the messages of some sessions were read from, and by which parser; locked against a writer of windows.
SELECT id, content_sha256, parser_version FROM sessions
WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s ORDER BY id;

-- name: longer
-- Those of some sessions that have more messages than are held at once.
SELECT id FROM sessions WHERE id = ANY(%(ids)s) AND message_count > %(most)s ORDER BY id;

-- name: existing
-- Windows that are stored, by digest of what they were made of: of some sessions, or a stretch of one thread of them.
SELECT session_id, thread, place, digest, model_id FROM message_windows
WHERE session_id = ANY(%(ids)s) AND account_id = %(account_id)s
    AND (%(thread)s::text IS NULL OR thread = %(thread)s AND place >= %(first)s AND place < %(last)s);

-- name: of_other_threads
-- Windows of threads that a session no longer has.
SELECT thread, place FROM message_windows
WHERE session_id = %(session_id)s AND account_id = %(account_id)s AND NOT thread = ANY(%(threads)s);

-- name: has_index
-- Whether the HNSW index of a model is there.
SELECT to_regclass(%(index)s) IS NOT NULL AS there;

-- name: create_index
-- The HNSW index of one model; {name}, {model} and {dimension} are literals.
CREATE INDEX IF NOT EXISTS {name} ON message_windows
    USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) WITH (m = 16, ef_construction = 64)
    WHERE model_id = {model};

-- name: statistics
-- Windows and their terms so far.
SELECT documents, total_length FROM lexical_stats WHERE account_id = %(account_id)s AND scope = 'window';

-- name: delete
-- Windows that no longer exist or have other text now, and their words out of the counts.
WITH gone AS (
    DELETE FROM message_windows w
    USING unnest(%(session_id)s::uuid[], %(thread)s::text[], %(place)s::integer[]) AS old(session_id, thread, place)
    WHERE w.session_id = old.session_id AND w.account_id = %(account_id)s
        AND w.thread = old.thread AND w.place = old.place
    RETURNING w.terms, w.length
), frequencies AS (
    UPDATE lexical_df d SET df = greatest(d.df - less.n, 0)
    FROM (SELECT term, count(*) AS n FROM gone, unnest(terms) AS term GROUP BY term) AS less
    WHERE d.account_id = %(account_id)s AND d.scope = 'window' AND d.term = less.term
)
UPDATE lexical_stats s SET documents = greatest(s.documents - less.n, 0),
    total_length = greatest(s.total_length - less.length, 0)
FROM (SELECT count(*) AS n, coalesce(sum(length), 0) AS length FROM gone) AS less
WHERE s.account_id = %(account_id)s AND s.scope = 'window';

-- name: insert
-- New windows of some sessions, and their words into the counts; terms, weights and vectors come as text.
WITH fresh AS (
    INSERT INTO message_windows (session_id, thread, place, start_seq, start_char, end_seq, end_char, account_id,
        agent_id, start_line, end_line, sent_at, digest, layout, terms, weights, length, model_id, embedding)
    SELECT s.id, w.thread, w.place, w.start_seq, w.start_char, w.end_seq, w.end_char, s.account_id, s.agent_id,
        w.start_line, w.end_line, coalesce(w.sent_at, s.started_at), w.digest, %(layout)s, w.terms::integer[],
        w.weights::sparsevec, w.length, CASE WHEN w.embedding IS NOT NULL THEN %(model_id)s END, w.embedding::halfvec
    FROM unnest(%(session_id)s::uuid[], %(thread)s::text[], %(place)s::integer[], %(start_seq)s::integer[], %(start_char)s::integer[],
        %(end_seq)s::integer[], %(end_char)s::integer[], %(start_line)s::integer[], %(end_line)s::integer[],
        %(sent_at)s::timestamptz[], %(digest)s::text[], %(terms)s::text[], %(weights)s::text[], %(length)s::integer[],
        %(embedding)s::text[])
        AS w(session_id, thread, place, start_seq, start_char, end_seq, end_char, start_line, end_line, sent_at, digest, terms,
            weights, length, embedding)
    JOIN sessions s ON s.id = w.session_id AND s.account_id = %(account_id)s
    RETURNING terms, length
), frequencies AS (
    INSERT INTO lexical_df AS d (account_id, scope, term, df)
    SELECT %(account_id)s, 'window', term, count(*) FROM fresh, unnest(terms) AS term GROUP BY term ORDER BY term
    ON CONFLICT (account_id, scope, term) DO UPDATE SET df = d.df + excluded.df
)
INSERT INTO lexical_stats AS t (account_id, scope, documents, total_length)
SELECT %(account_id)s, 'window', count(*), coalesce(sum(length), 0) FROM fresh
ON CONFLICT (account_id, scope) DO UPDATE SET documents = t.documents + excluded.documents,
    total_length = t.total_length + excluded.total_length;

-- name: miscounted
-- True when windows went with their session, which no count has seen.
SELECT count(*) <> coalesce(
    (SELECT documents FROM lexical_stats WHERE account_id = %(account_id)s AND scope = 'window'), 0) AS miscounted
FROM message_windows WHERE account_id = %(account_id)s;

-- name: recount
-- The counts again, from the windows that are there.
WITH counted AS (
    SELECT term, count(*) AS df FROM message_windows, unnest(terms) AS term
    WHERE account_id = %(account_id)s GROUP BY term
), known AS (
    SELECT d.term, coalesce(c.df, 0) AS df FROM lexical_df d LEFT JOIN counted c USING (term)
    WHERE d.account_id = %(account_id)s AND d.scope = 'window'
), corrected AS (
    UPDATE lexical_df d SET df = k.df FROM known k
    WHERE d.account_id = %(account_id)s AND d.scope = 'window' AND d.term = k.term AND d.df <> k.df
)
UPDATE lexical_stats SET (documents, total_length) = (
    SELECT count(*), coalesce(sum(length), 0) FROM message_windows WHERE account_id = %(account_id)s)
WHERE account_id = %(account_id)s AND scope = 'window';

-- name: several_agents
-- Whether logs of more than one agent are here: both ends of the index on sessions.
SELECT coalesce(min(agent_id) <> max(agent_id), false) AS several FROM sessions WHERE account_id = %(account_id)s;

-- name: frequencies
-- What the weights of a query rest on: windows, windows with each term, windows of the time it names.
SELECT coalesce((SELECT documents FROM lexical_stats WHERE account_id = %(account_id)s AND scope = 'window'), 0)
        AS documents,
    (SELECT coalesce(json_object_agg(term, df), '{}') FROM lexical_df
        WHERE account_id = %(account_id)s AND scope = 'window' AND term = ANY(%(terms)s) AND df > 0) AS df,
    CASE WHEN %(from)s::timestamptz IS NULL AND %(to)s::timestamptz IS NULL THEN NULL
        ELSE (SELECT count(*) FROM message_windows WHERE account_id = %(account_id)s
            AND sent_at >= coalesce(%(from)s::timestamptz, '-infinity')
            AND sent_at < coalesce(%(to)s::timestamptz, 'infinity')) END AS in_time,
    (SELECT count(*) FROM (SELECT 1 FROM message_windows WHERE account_id = %(account_id)s
        AND (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s) LIMIT %(exact_below)s) AS counted)
        >= %(exact_below)s AS many;

-- name: search
-- Candidates of each lane, and those of the time that the query names, with all scores. `rare` finds, `query` scores.
-- {model} is a literal; {nearness} is the distance, in the form of the index or as a sum that no index can serve.
WITH lexical AS (
    SELECT session_id, thread, place FROM message_windows
    WHERE account_id = %(account_id)s AND terms && %(rare)s::integer[]
        AND (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
        AND (%(project)s::text IS NULL OR session_id IN (
            SELECT id FROM sessions WHERE account_id = %(account_id)s AND project = %(project)s))
        AND (%(since)s::timestamptz IS NULL OR sent_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR sent_at < %(until)s)
    ORDER BY weights <#> %(query)s::sparsevec, session_id, thread, place LIMIT %(candidates)s
), nearest AS (
    SELECT session_id, thread, place FROM message_windows
    WHERE account_id = %(account_id)s AND model_id = {model} AND %(vector)s::text IS NOT NULL
        AND (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
        AND (%(project)s::text IS NULL OR session_id IN (
            SELECT id FROM sessions WHERE account_id = %(account_id)s AND project = %(project)s))
        AND (%(since)s::timestamptz IS NULL OR sent_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR sent_at < %(until)s)
    ORDER BY {nearness} LIMIT %(candidates)s
), timely AS (
    SELECT session_id, thread, place FROM message_windows
    WHERE account_id = %(account_id)s AND %(timed)s
        AND sent_at >= coalesce(%(from)s::timestamptz, '-infinity') AND sent_at < coalesce(%(to)s::timestamptz, 'infinity')
        AND (%(agent_id)s::text IS NULL OR agent_id = %(agent_id)s)
        AND (%(project)s::text IS NULL OR session_id IN (
            SELECT id FROM sessions WHERE account_id = %(account_id)s AND project = %(project)s))
        AND (%(since)s::timestamptz IS NULL OR sent_at >= %(since)s)
        AND (%(until)s::timestamptz IS NULL OR sent_at < %(until)s)
    ORDER BY sent_at DESC, session_id, thread, place LIMIT %(candidates)s
), every_lane AS (SELECT * FROM lexical UNION SELECT * FROM nearest UNION SELECT * FROM timely)
SELECT w.session_id, w.thread, w.place, -(w.weights <#> %(query)s::sparsevec) AS bm25,
    coalesce(1 - (w.embedding <=> %(vector)s::halfvec), 0) AS cosine,
    ARRAY(SELECT term FROM unnest(%(terms)s::integer[]) AS term WHERE term = ANY(w.terms)) AS matched,
    %(timed)s AND w.sent_at >= coalesce(%(from)s::timestamptz, '-infinity')
        AND w.sent_at < coalesce(%(to)s::timestamptz, 'infinity') AS in_time
FROM every_lane JOIN message_windows w USING (session_id, thread, place)
WHERE w.account_id = %(account_id)s;

-- name: shown
-- Where some windows stand.
SELECT w.session_id, w.thread, w.place, w.agent_id, w.start_seq, w.start_char, w.end_seq, w.end_char, w.start_line,
    w.end_line, w.sent_at, s.session_file, s.partition_key, s.project
FROM unnest(%(sessions)s::uuid[], %(threads)s::text[], %(places)s::integer[]) AS hit(session_id, thread, place)
JOIN message_windows w USING (session_id, thread, place)
JOIN sessions s ON s.id = w.session_id
WHERE w.account_id = %(account_id)s;

-- name: messages
-- The messages that some windows were made of, in file order.
SELECT hit.place AS window_place, m.*
FROM unnest(%(sessions)s::uuid[], %(threads)s::text[], %(places)s::integer[]) AS hit(session_id, thread, place)
JOIN message_windows w USING (session_id, thread, place)
JOIN messages m ON m.session_id = w.session_id AND m.account_id = w.account_id AND m.thread = w.thread
    AND m.seq BETWEEN w.start_seq AND w.end_seq
WHERE w.account_id = %(account_id)s ORDER BY m.session_id, m.seq;
