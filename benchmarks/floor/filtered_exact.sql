-- The same with a type that few rows have: all of them are compared.
WITH near AS MATERIALIZED (
    SELECT id FROM floor.search WHERE account_id = %(account)s AND status = 'active' AND type = %(type)s
    ORDER BY (embedding <=> %(vector)s) + 0 LIMIT 50
), worded AS MATERIALIZED (
    SELECT id FROM floor.search WHERE account_id = %(account)s AND status = 'active' AND type = %(type)s
        AND terms && %(rare)s::integer[]
    ORDER BY weights <#> %(query)s LIMIT 50
), scored AS MATERIALIZED (
    SELECT s.id, 1 - (s.embedding <=> %(vector)s) AS cosine, -(s.weights <#> %(query)s) AS bm25, u.tier
    FROM (SELECT id FROM near UNION SELECT id FROM worded) f JOIN floor.search s USING (id) JOIN floor.usage u USING (id)
), ranked AS MATERIALIZED (
    SELECT id, 0.4 * cosine + 0.6 * bm25 AS score FROM scored ORDER BY score DESC LIMIT 10
)
SELECT b.id, b.content, r.score FROM ranked r JOIN floor.bodies b USING (id) ORDER BY r.score DESC
