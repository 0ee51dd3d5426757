-- name: rebalance
-- Tiers by rank of hits; only changed rows are written.
WITH ranked AS (
    SELECT u.memory_id, row_number() OVER (ORDER BY u.hit_count DESC, u.last_hit_at DESC NULLS LAST, u.memory_id) AS rank,
        count(*) OVER () AS total
    FROM memory_usage u JOIN memories m ON m.id = u.memory_id
    WHERE u.account_id = %(account_id)s AND m.status = 'active'
), assigned AS (
    SELECT memory_id, CASE
        WHEN rank <= ceil(total * %(hot)s::numeric / 100) THEN 'HOT'
        WHEN rank <= ceil(total * %(hot)s::numeric / 100) + ceil(total * %(warm)s::numeric / 100) THEN 'WARM'
        ELSE 'COLD' END AS tier
    FROM ranked
), locked AS (
    SELECT u.memory_id, u.tier AS old, a.tier FROM memory_usage u JOIN assigned a USING (memory_id)
    WHERE u.tier <> a.tier ORDER BY u.memory_id FOR UPDATE OF u
)
UPDATE memory_usage u SET tier = l.tier FROM locked l WHERE u.memory_id = l.memory_id
RETURNING l.old, l.tier;

-- name: expired
-- COLD memories without a hit for too long.
SELECT u.memory_id FROM memory_usage u JOIN memories m ON m.id = u.memory_id
WHERE u.account_id = %(account_id)s AND m.status = 'active' AND u.tier = 'COLD'
    AND coalesce(u.last_hit_at, m.created_at) < %(before)s
ORDER BY u.memory_id LIMIT %(limit)s;

-- name: counts
-- Active memories by tier.
SELECT u.tier, count(*) AS count FROM memory_usage u JOIN memories m ON m.id = u.memory_id
WHERE u.account_id = %(account_id)s AND m.status = 'active' GROUP BY 1;

-- name: recount_df
-- Document frequencies as the active rows say; only changed rows are written.
WITH counted AS (
    SELECT term, count(*)::integer AS df FROM memory_search s, unnest(s.terms) AS term
    WHERE s.account_id = %(account_id)s AND s.status = 'active' GROUP BY 1
), gone AS (
    DELETE FROM lexical_df d WHERE d.account_id = %(account_id)s AND d.scope = 'memory'
        AND NOT EXISTS (SELECT 1 FROM counted c WHERE c.term = d.term)
)
INSERT INTO lexical_df AS d (account_id, scope, term, df)
SELECT %(account_id)s, 'memory', term, df FROM counted ORDER BY term
ON CONFLICT (account_id, scope, term) DO UPDATE SET df = excluded.df WHERE d.df <> excluded.df;

-- name: recount_stats
-- The number and length of documents likewise.
INSERT INTO lexical_stats AS s (account_id, scope, documents, total_length)
SELECT %(account_id)s, 'memory', count(*), coalesce(sum(length), 0) FROM memory_search
WHERE account_id = %(account_id)s AND status = 'active'
ON CONFLICT (account_id, scope) DO UPDATE SET documents = excluded.documents, total_length = excluded.total_length
WHERE (s.documents, s.total_length) IS DISTINCT FROM (excluded.documents, excluded.total_length);
