-- Tiers by rank, only changed rows written.
WITH ranked AS (
    SELECT id, row_number() OVER (ORDER BY hit_count DESC, last_hit_at DESC NULLS LAST, id) AS place,
        count(*) OVER () AS total
    FROM floor.usage
), wanted AS (
    SELECT id, CASE WHEN place <= ceil(total * 0.1) THEN 'HOT' WHEN place <= ceil(total * 0.5) THEN 'WARM' ELSE 'COLD' END
        AS tier
    FROM ranked
)
UPDATE floor.usage u SET tier = w.tier FROM wanted w WHERE w.id = u.id AND u.tier <> w.tier
