-- name: upsert_search
-- Lexical rows of new and changed memories.
INSERT INTO memory_search (memory_id, account_id, memory_type, status, terms, weights, length, average_length)
SELECT g.id, %(account_id)s, g.memory_type, m.status, g.terms, g.weights, g.length, %(average_length)s
FROM jsonb_to_recordset(%(rows)s) AS g(id uuid, memory_type text, terms integer[], weights sparsevec, length integer)
JOIN memories m ON m.id = g.id AND m.account_id = %(account_id)s
ON CONFLICT (memory_id) DO UPDATE SET terms = excluded.terms, weights = excluded.weights,
    length = excluded.length, average_length = excluded.average_length, memory_type = excluded.memory_type;

-- name: upsert_vectors
-- Vectors of memories for one model; type and status are those of the memory. A parameter has the type of its first
-- cast: `::halfvec` first would round both.
INSERT INTO memory_vectors (memory_id, model_id, account_id, memory_type, status, embedding, exact)
SELECT m.id, %(model_id)s, m.account_id, m.memory_type, m.status, g.vector::halfvec, g.vector
FROM unnest(%(ids)s::uuid[], %(vectors)b::vector[]) AS g(id, vector)
JOIN memories m ON m.id = g.id AND m.account_id = %(account_id)s
ON CONFLICT (memory_id, model_id) DO UPDATE SET embedding = excluded.embedding, exact = excluded.exact,
    version = excluded.version;

-- name: lexical_stats
-- Memories and terms counted so far.
SELECT documents, total_length FROM lexical_stats WHERE account_id = %(account_id)s AND scope = 'memory';

-- name: count_words
-- The lexical rows of some memories more (sign 1) or less (-1): their number and length, and how many hold each term, in
-- order of term, so that two writers never deadlock.
WITH counted AS (
    SELECT terms, length FROM memory_search WHERE memory_id = ANY(%(ids)s) AND account_id = %(account_id)s
), totals AS (
    INSERT INTO lexical_stats AS t (account_id, scope, documents, total_length)
    SELECT %(account_id)s, 'memory', %(sign)s * count(*), %(sign)s * coalesce(sum(length), 0) FROM counted
    ON CONFLICT (account_id, scope) DO UPDATE SET documents = greatest(t.documents + excluded.documents, 0),
        total_length = greatest(t.total_length + excluded.total_length, 0)
)
INSERT INTO lexical_df AS d (account_id, scope, term, df)
SELECT %(account_id)s, 'memory', term, %(sign)s * count(*) FROM counted, unnest(terms) AS term
GROUP BY term ORDER BY term
ON CONFLICT (account_id, scope, term) DO UPDATE SET df = greatest(d.df + excluded.df, 0);

-- name: forget_words
-- Words that these memories alone held, once they are no longer counted: not even their numbers remain.
DELETE FROM lexical_df d USING memory_search s
WHERE s.memory_id = ANY(%(ids)s) AND s.account_id = %(account_id)s AND d.account_id = s.account_id
    AND d.scope = 'memory' AND d.term = ANY(s.terms) AND d.df = 0;
