-- The nearest of the same type, for a batch of vectors.
SELECT q.position, n.id, n.cosine FROM unnest(%(positions)s::integer[], %(types)s::text[], %(vectors)s::public.halfvec[])
    AS q(position, type, vector)
CROSS JOIN LATERAL (
    SELECT s.id, 1 - (s.embedding <=> q.vector) AS cosine FROM floor.search s
    WHERE s.account_id = %(account)s AND s.status = 'active' AND s.type = q.type
    ORDER BY s.embedding <=> q.vector LIMIT 1
) n
