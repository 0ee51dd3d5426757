-- name: average
-- The present average length of active memories, none without any; rounded as rows keep it.
SELECT (total_length::float8 / documents)::real::float8 AS average FROM lexical_stats
WHERE account_id = %(account_id)s AND scope = 'memory' AND documents > 0 AND total_length > 0;

-- name: reweigh
-- The next rows, after an id, whose average is off by more than a share get weights against the present one. The text is
-- not needed: with n = k1 (1 - b + b length / average), w = tf (k1 + 1) / (tf + n) gives tf = w n / (k1 + 1 - w), a
-- whole number. Rows that are being written just now are left to the next time: nothing here waits for another writer.
WITH off AS MATERIALIZED (
    SELECT s.memory_id, s.weights::text AS weights,
        %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * s.length / s.average_length) AS old_norm,
        %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * s.length / %(average)s::float8) AS new_norm
    FROM memory_search s
    WHERE s.account_id = %(account_id)s AND (%(after)s::uuid IS NULL OR s.memory_id > %(after)s::uuid)
        AND s.average_length > 0 AND (s.average_length < %(average)s::float8 / (1 + %(share)s::float8)
            OR s.average_length > %(average)s::float8 / (1 - %(share)s::float8))
    ORDER BY s.memory_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
), counted AS (
    SELECT o.memory_id, o.new_norm, split_part(e.pair, ':', 1)::integer AS term, greatest(1, round(
        split_part(e.pair, ':', 2)::float8 * o.old_norm / (%(k1)s::float8 + 1 - split_part(e.pair, ':', 2)::float8)
    )) AS tf
    FROM off o CROSS JOIN LATERAL string_to_table(substring(o.weights FROM '^\{(.*)\}'), ',') AS e(pair)
    WHERE e.pair <> ''
), made AS (
    SELECT memory_id, string_agg(term || ':' || tf * (%(k1)s::float8 + 1) / (tf + new_norm), ',' ORDER BY term) AS pairs
    FROM counted GROUP BY memory_id
), written AS (
    UPDATE memory_search s SET average_length = %(average)s::float8,
        weights = ('{' || coalesce(m.pairs, '') || '}/1000000000')::sparsevec
    FROM off o LEFT JOIN made m USING (memory_id) WHERE s.memory_id = o.memory_id
    RETURNING s.memory_id
)
SELECT (SELECT count(*) FROM written) AS rows, (SELECT memory_id FROM off ORDER BY memory_id DESC LIMIT 1) AS last;
