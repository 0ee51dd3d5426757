-- name: make_work
-- What a rebalance has to do, on the server and for one connection alone.
CREATE TEMPORARY TABLE tier_work (memory_id uuid NOT NULL, tier text NOT NULL, changed boolean NOT NULL, expired boolean NOT NULL);

-- name: rank
-- The cuts; memories whose tier by rank of hits is another one than they have, and COLD ones without a hit for too long
-- (or ever), go to tier_work in order of id. Nothing is locked, and bodies are not read, be they vacuumed or not: what
-- is not active is found in an index of its own, and so are rules. A rule that no person said may be HOT when a second
-- session repeated it, or another caller: uploads of one agent count once. The HOT share is one of those that may.
WITH held AS MATERIALIZED (
    SELECT m.id FROM memories m LEFT JOIN memory_sources s ON s.memory_id = m.id LEFT JOIN sessions e ON e.id = s.session_id
    WHERE m.account_id = %(account_id)s AND m.status = 'active' AND m.memory_type IN ('preference', 'correction')
        AND m.proof <> 'person'
    GROUP BY m.id
    HAVING count(DISTINCT coalesce('brought by ' || e.brought_by, s.session_id::text, 'given by ' || s.agent_id)) < 2
), active AS MATERIALIZED (
    SELECT u.memory_id, u.tier, u.hit_count, u.last_hit_at, h.id IS NULL AS may
    FROM memory_usage u LEFT JOIN held h ON h.id = u.memory_id
    WHERE u.account_id = %(account_id)s AND NOT EXISTS (
        SELECT 1 FROM memories m WHERE m.id = u.memory_id AND m.account_id = %(account_id)s AND m.status <> 'active'
    )
), counted AS (SELECT count(*) AS total, count(*) FILTER (WHERE may) AS may FROM active), cut AS (
    SELECT total, may AS allowed, ceil(may * %(hot)s::float8 / 100)::bigint AS hot, ceil(total * %(warm)s::float8 / 100)::bigint AS warm
    FROM counted
), ranked AS (
    SELECT memory_id, tier, last_hit_at, may, row_number() OVER best AS rank,
        count(*) FILTER (WHERE may) OVER (best ROWS UNBOUNDED PRECEDING) AS rank_of_may
    FROM active WINDOW best AS (ORDER BY hit_count DESC, last_hit_at DESC NULLS LAST, memory_id)
), assigned AS (
    SELECT memory_id, tier AS old, last_hit_at,
        CASE WHEN may AND rank_of_may <= hot THEN 'HOT'
            WHEN rank - least(rank_of_may, hot) <= warm THEN 'WARM' ELSE 'COLD' END AS tier
    FROM ranked CROSS JOIN cut
), work AS (
    SELECT memory_id, tier, tier <> old AS changed,
        tier = 'COLD' AND coalesce(coalesce(last_hit_at, '-infinity') < %(before)s::timestamptz, false) AS expired
    FROM assigned
), stored AS (
    INSERT INTO tier_work SELECT * FROM work WHERE changed OR expired ORDER BY memory_id
)
SELECT total, least(hot, allowed) AS hot, least(warm, total - least(hot, allowed)) AS warm FROM cut;

-- name: work_pages
-- How much there is to do.
SELECT pg_relation_size('tier_work') / current_setting('block_size')::integer AS pages;

-- name: only_by_id
-- For the transaction that follows: the one way left to the rows of memory_usage is its key, in order of id. What a crash
-- of the server loses the next rebalance does: no wait for the disk.
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('enable_hashjoin', 'off', true), set_config('synchronous_commit', 'off', true);

-- name: set_tiers
-- Another tier for the memories on some pages of tier_work, which need no index to be found. Rows are written, and so
-- locked, in order of id, as those who count hits lock theirs: after only_by_id every plan does. To lock them first in
-- a statement part of its own would take half as long again.
WITH written AS (
    UPDATE memory_usage u SET tier = w.tier FROM (
        SELECT memory_id, tier FROM tier_work
        WHERE ctid >= %(begin)s::tid AND ctid < %(end)s::tid AND changed ORDER BY memory_id
    ) w
    WHERE u.memory_id = w.memory_id AND u.account_id = %(account_id)s AND u.tier <> w.tier
    RETURNING u.tier
)
SELECT count(*) AS changed, count(*) FILTER (WHERE tier = 'HOT') AS hot FROM written;

-- name: expired
-- COLD memories that seemed to be without a hit for too long.
SELECT memory_id FROM tier_work WHERE expired ORDER BY memory_id;

-- name: still_expired
-- Those of them that are; one that is being read just now is left alone.
SELECT u.memory_id FROM memory_usage u JOIN memories m ON m.id = u.memory_id
WHERE u.memory_id = ANY(%(ids)s) AND u.account_id = %(account_id)s AND u.tier = 'COLD'
    AND m.account_id = %(account_id)s AND m.status = 'active' AND coalesce(u.last_hit_at, m.created_at) < %(before)s
ORDER BY u.memory_id FOR UPDATE OF u SKIP LOCKED;

-- name: expired_claims
-- Claimed memories that nobody contributed to for too long.
SELECT m.id FROM memories m
WHERE m.account_id = %(account_id)s AND m.status = 'claimed' AND m.created_at < %(before)s
    AND NOT EXISTS (SELECT FROM memory_contributions c WHERE c.memory_id = m.id AND c.contributed_at >= %(before)s)
ORDER BY m.id LIMIT %(limit)s;

-- name: drift
-- By how much documents, their length and the sum of all frequencies are off: zeros, unless rows were lost. Then whether
-- the average length has moved from what weights were made with by more than a share: one pass tells both.
WITH corpus AS MATERIALIZED (
    SELECT coalesce(max(documents), 0) AS documents, coalesce(max(total_length), 0) AS total_length,
        max(total_length::float8 / nullif(documents, 0)) AS average
    FROM lexical_stats WHERE account_id = %(account_id)s AND scope = 'memory'
), stored AS (
    SELECT count(*) AS documents, coalesce(sum(length), 0) AS total_length,
        coalesce(sum(cardinality(terms)), 0) AS postings,
        min(average_length) FILTER (WHERE average_length > 0) AS least, max(average_length) AS most
    FROM memory_search WHERE account_id = %(account_id)s AND status <> 'archived'
)
SELECT s.documents - c.documents AS documents, s.total_length - c.total_length AS total_length,
    s.postings - (SELECT coalesce(sum(df), 0) FROM lexical_df WHERE account_id = %(account_id)s AND scope = 'memory')
        AS postings,
    coalesce(s.least < c.average / (1 + %(share)s::float8) OR s.most > c.average / (1 - %(share)s::float8), false)
        AS moved
FROM stored s CROSS JOIN corpus c;

-- name: df_drift
-- By how much each frequency is off. Rows and frequencies are of one snapshot and change in the same
-- transactions, so what is off in it is still off by as much after any number of uploads.
WITH counted AS (
    SELECT term, count(*)::integer AS df FROM memory_search s, unnest(s.terms) AS term
    WHERE s.account_id = %(account_id)s AND s.status <> 'archived' GROUP BY 1
), stored AS (SELECT term, df FROM lexical_df WHERE account_id = %(account_id)s AND scope = 'memory')
SELECT term, coalesce(c.df, 0) - coalesce(d.df, 0) AS off FROM counted c FULL JOIN stored d USING (term)
WHERE coalesce(c.df, 0) <> coalesce(d.df, 0) ORDER BY term;

-- name: repair_counts
-- Frequencies, number and length of documents moved by what they are off.
WITH totals AS (
    INSERT INTO lexical_stats AS s (account_id, scope, documents, total_length)
    VALUES (%(account_id)s, 'memory', %(documents)s, %(total_length)s)
    ON CONFLICT (account_id, scope) DO UPDATE SET documents = greatest(s.documents + excluded.documents, 0),
        total_length = greatest(s.total_length + excluded.total_length, 0)
)
INSERT INTO lexical_df AS d (account_id, scope, term, df)
SELECT %(account_id)s, 'memory', term, off FROM unnest(%(terms)s::integer[], %(offs)s::integer[]) AS t(term, off)
ORDER BY term
ON CONFLICT (account_id, scope, term) DO UPDATE SET df = greatest(d.df + excluded.df, 0);
