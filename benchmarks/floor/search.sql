-- Top 50 of each lane, both scores for the union, min-max, tier and age, hits, bodies of the best ten.
WITH near AS MATERIALIZED (
    SELECT id FROM floor.search WHERE account_id = %(account)s AND status = 'active'
    ORDER BY embedding <=> %(vector)s LIMIT 50
), worded AS MATERIALIZED (
    SELECT id FROM floor.search WHERE account_id = %(account)s AND status = 'active' AND terms && %(rare)s::integer[]
    ORDER BY weights <#> %(query)s LIMIT 50
), scored AS MATERIALIZED (
    SELECT s.id, 1 - (s.embedding <=> %(vector)s) AS cosine, -(s.weights <#> %(query)s) AS bm25,
        u.tier, u.last_hit_at
    FROM (SELECT id FROM near UNION SELECT id FROM worded) f JOIN floor.search s USING (id) JOIN floor.usage u USING (id)
), ranked AS MATERIALIZED (
    SELECT id, (
        0.4 * (cosine - min(cosine) OVER ()) / greatest(max(cosine) OVER () - min(cosine) OVER (), 1e-9)
        + 0.6 * (bm25 - min(bm25) OVER ()) / greatest(max(bm25) OVER () - min(bm25) OVER (), 1e-9)
    ) * CASE tier WHEN 'HOT' THEN 1.2 WHEN 'COLD' THEN 0.8 ELSE 1.0 END
    * (0.9 + 0.1 * exp(-0.05 * extract(epoch FROM %(now)s - last_hit_at) / 86400)) AS score
    FROM scored ORDER BY score DESC LIMIT 10
), locked AS (
    SELECT id FROM floor.usage WHERE id IN (SELECT id FROM ranked) ORDER BY id FOR UPDATE
), counted AS (
    UPDATE floor.usage u SET hit_count = hit_count + 1, last_hit_at = %(now)s FROM locked WHERE u.id = locked.id
)
SELECT b.id, b.content, r.score FROM ranked r JOIN floor.bodies b USING (id) ORDER BY r.score DESC
