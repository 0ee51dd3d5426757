-- name: active_count
-- How many memories have a tier.
SELECT count(*) AS count FROM memories WHERE account_id = %(account_id)s AND status = 'active';

-- name: changed
-- Memories whose tier by rank of hits is another one than they have; nothing is locked.
WITH ranked AS (
    SELECT u.memory_id, u.tier AS old,
        row_number() OVER (ORDER BY u.hit_count DESC, u.last_hit_at DESC NULLS LAST, u.memory_id) AS rank
    FROM memory_usage u JOIN memories m ON m.id = u.memory_id
    WHERE u.account_id = %(account_id)s AND m.account_id = %(account_id)s AND m.status = 'active'
), assigned AS (
    SELECT memory_id, old, CASE WHEN rank <= %(hot)s THEN 'HOT' WHEN rank <= %(warm)s THEN 'WARM' ELSE 'COLD' END AS tier
    FROM ranked
)
SELECT memory_id, tier FROM assigned WHERE old <> tier ORDER BY memory_id;

-- name: set_tiers
-- Another tier for some memories; rows are locked in order of id, as those who count hits do.
WITH wanted AS (SELECT * FROM unnest(%(ids)s::uuid[], %(tiers)s::text[]) AS w(memory_id, tier)), locked AS (
    SELECT u.memory_id, w.tier FROM memory_usage u JOIN wanted w USING (memory_id)
    WHERE u.account_id = %(account_id)s ORDER BY u.memory_id FOR UPDATE OF u
)
UPDATE memory_usage u SET tier = l.tier FROM locked l WHERE u.memory_id = l.memory_id AND u.tier <> l.tier;

-- name: expired
-- The next COLD memories without a hit for too long, after an id; one that is being read just now is left alone.
SELECT u.memory_id FROM memory_usage u JOIN memories m ON m.id = u.memory_id
WHERE u.account_id = %(account_id)s AND u.tier = 'COLD' AND m.status = 'active' AND m.account_id = %(account_id)s
    AND coalesce(u.last_hit_at, m.created_at) < %(before)s
    AND (%(after)s::uuid IS NULL OR u.memory_id > %(after)s)
ORDER BY u.memory_id LIMIT %(limit)s FOR UPDATE OF u SKIP LOCKED;

-- name: counts
-- Active memories by tier.
SELECT u.tier, count(*) AS count FROM memory_usage u JOIN memories m ON m.id = u.memory_id
WHERE u.account_id = %(account_id)s AND m.account_id = %(account_id)s AND m.status = 'active' GROUP BY 1;

-- name: drift
-- By how much documents, their length and the sum of all frequencies are off: zeros, unless rows were lost.
SELECT d.documents - coalesce(s.documents, 0) AS documents, d.total_length - coalesce(s.total_length, 0) AS total_length,
    d.postings - (SELECT coalesce(sum(df), 0) FROM lexical_df WHERE account_id = %(account_id)s AND scope = 'memory')
        AS postings
FROM (
    SELECT count(*) AS documents, coalesce(sum(length), 0) AS total_length, coalesce(sum(cardinality(terms)), 0) AS postings
    FROM memory_search WHERE account_id = %(account_id)s AND status = 'active'
) d LEFT JOIN lexical_stats s ON s.account_id = %(account_id)s AND s.scope = 'memory';

-- name: df_drift
-- By how much each frequency is off. Rows and frequencies are of one snapshot and change in the same
-- transactions, so what is off in it is still off by as much after any number of uploads.
WITH counted AS (
    SELECT term, count(*)::integer AS df FROM memory_search s, unnest(s.terms) AS term
    WHERE s.account_id = %(account_id)s AND s.status = 'active' GROUP BY 1
), stored AS (SELECT term, df FROM lexical_df WHERE account_id = %(account_id)s AND scope = 'memory')
SELECT term, coalesce(c.df, 0) - coalesce(d.df, 0) AS off FROM counted c FULL JOIN stored d USING (term)
WHERE coalesce(c.df, 0) <> coalesce(d.df, 0) ORDER BY term;

-- name: mend_df
-- Frequencies moved by what they are off.
INSERT INTO lexical_df AS d (account_id, scope, term, df)
SELECT %(account_id)s, 'memory', term, off FROM unnest(%(terms)s::integer[], %(offs)s::integer[]) AS t(term, off)
ORDER BY term
ON CONFLICT (account_id, scope, term) DO UPDATE SET df = greatest(d.df + excluded.df, 0);

-- name: mend_stats
-- Number and length of documents likewise.
INSERT INTO lexical_stats AS s (account_id, scope, documents, total_length)
VALUES (%(account_id)s, 'memory', %(documents)s, %(total_length)s)
ON CONFLICT (account_id, scope) DO UPDATE SET documents = greatest(s.documents + excluded.documents, 0),
    total_length = greatest(s.total_length + excluded.total_length, 0);
