-- name: cached
-- An answer given before.
SELECT answer FROM llm_cache WHERE account_id = %(account_id)s AND key = %(key)s;

-- name: cache
-- Keep an answer; one that could not be used any more is replaced.
INSERT INTO llm_cache (account_id, key, stage, model, answer, created_at)
VALUES (%(account_id)s, %(key)s, %(stage)s, %(model)s, %(answer)s, %(now)s)
ON CONFLICT (account_id, key) DO UPDATE SET answer = excluded.answer, created_at = excluded.created_at;

-- name: forget_answers
-- Forget what the named models answered in a stage, so that work marked for reprocessing asks again.
DELETE FROM llm_cache WHERE account_id = %(account_id)s AND stage = %(stage)s
    AND (%(made_by)s::text IS NULL OR starts_with('model:' || model, %(made_by)s)
        OR starts_with(%(made_by)s, 'model:' || model || '#'));

-- name: record
-- One call and what it cost.
INSERT INTO llm_calls (account_id, stage, model, prompt_hash, input_tokens, output_tokens, cost, latency_ms,
    cached, error, created_at)
VALUES (%(account_id)s, %(stage)s, %(model)s, %(prompt_hash)s, %(input_tokens)s, %(output_tokens)s, %(cost)s,
    %(latency_ms)s, %(cached)s, %(error)s, %(at)s);

-- name: tokens_since
-- Tokens spent since a moment, cached answers apart.
SELECT coalesce(sum(input_tokens + output_tokens), 0)::bigint AS tokens FROM llm_calls
WHERE account_id = %(account_id)s AND created_at >= %(since)s AND NOT cached;

-- name: totals
-- Calls, tokens and cost by stage.
SELECT stage, model, count(*) AS calls, count(*) FILTER (WHERE cached) AS cached,
    count(*) FILTER (WHERE error IS NOT NULL) AS errors, sum(input_tokens)::bigint AS input_tokens,
    sum(output_tokens)::bigint AS output_tokens, sum(cost) AS cost
FROM llm_calls WHERE account_id = %(account_id)s AND (%(since)s::timestamptz IS NULL OR created_at >= %(since)s)
GROUP BY 1, 2 ORDER BY 1, 2;

-- name: spent
-- What models were asked since a moment, in all and by stage, day (UTC) and model: of each row one of them is named, of the
-- first none. A call that was made while no price was set costs what it would cost now.
SELECT CASE grouping(stage, day, model) WHEN 7 THEN '' WHEN 3 THEN 'stage' WHEN 5 THEN 'day' ELSE 'model' END AS part,
    coalesce(stage, day::text, model, '') AS name,
    count(*) FILTER (WHERE NOT cached AND error IS NULL) AS calls, count(*) FILTER (WHERE cached) AS cached,
    count(*) FILTER (WHERE error IS NOT NULL) AS failed, coalesce(sum(input_tokens), 0)::bigint AS input_tokens,
    coalesce(sum(output_tokens), 0)::bigint AS output_tokens,
    coalesce(sum(CASE WHEN cost > 0 THEN cost ELSE (input_tokens * %(price_input)s::float8
        + output_tokens * %(price_output)s::float8) / 1e6 END), 0) AS cost
FROM (
    SELECT stage, (created_at AT TIME ZONE 'UTC')::date AS day, model, cached, error, input_tokens, output_tokens, cost
    FROM llm_calls WHERE account_id = %(account_id)s
        AND (%(since)s::timestamptz IS NULL OR created_at >= %(since)s)
) asked
GROUP BY GROUPING SETS ((), (stage), (day), (model))
ORDER BY grouping(stage, day, model) DESC, day, stage, model;

-- name: kept_notes
-- Memories that a model's notes made since a moment, and that are not archived.
SELECT count(*) AS count FROM memories
WHERE account_id = %(account_id)s AND status <> 'archived' AND starts_with(extractor, 'model:')
    AND (%(since)s::timestamptz IS NULL OR created_at >= %(since)s);
