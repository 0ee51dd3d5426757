-- name: now
-- How much there is, one number a kind.
SELECT f.*, s.*, t.*, m.*, d.*, w.*, e.* FROM
    (SELECT count(*) AS files, count(*) FILTER (WHERE state = 'failed') AS files_failed,
        count(*) FILTER (WHERE state = 'missing') AS files_missing, coalesce(sum(size), 0)::bigint AS file_bytes
    FROM source_files WHERE account_id = %(account_id)s) f,
    (SELECT count(*) AS sessions, count(*) FILTER (WHERE status = 'failed') AS sessions_failed,
        coalesce(sum(message_count), 0)::bigint AS messages
    FROM sessions WHERE account_id = %(account_id)s) s,
    (SELECT count(*) AS segments, count(*) FILTER (WHERE labeled = 1) AS segments_labelled,
        count(*) FILTER (WHERE label_error IS NOT NULL OR extract_error IS NOT NULL) AS segments_failed,
        avg((quality_metrics -> 'summary' ->> 'overall_score')::float8) AS mean_overall_score,
        avg((quality_metrics -> 'summary' ->> 'memory_score')::float8) AS mean_memory_score
    FROM task_segments WHERE account_id = %(account_id)s) t,
    (SELECT count(*) FILTER (WHERE status = 'active') AS memories,
        count(*) FILTER (WHERE status = 'claimed') AS memories_claimed,
        count(*) FILTER (WHERE status = 'archived') AS memories_archived
    FROM memories WHERE account_id = %(account_id)s) m,
    (SELECT count(*) AS drops FROM drops WHERE account_id = %(account_id)s) d,
    (SELECT count(*) AS windows FROM message_windows WHERE account_id = %(account_id)s) w,
    (SELECT pg_database_size(current_database()) AS database_bytes) e;

-- name: since
-- What was added from one moment up to another, and what models cost meanwhile.
SELECT s.*, m.*, d.*, c.* FROM
    (SELECT count(*) AS new_sessions FROM sessions
    WHERE account_id = %(account_id)s AND created_at >= %(since)s AND created_at < %(until)s) s,
    (SELECT count(*) AS new_memories FROM memories
    WHERE account_id = %(account_id)s AND created_at >= %(since)s AND created_at < %(until)s) m,
    (SELECT count(*) AS new_drops FROM drops
    WHERE account_id = %(account_id)s AND created_at >= %(since)s AND created_at < %(until)s) d,
    (SELECT count(*) AS new_model_calls, count(*) FILTER (WHERE error IS NOT NULL) AS new_model_errors,
        coalesce(sum(input_tokens) FILTER (WHERE NOT cached), 0)::bigint AS new_input_tokens,
        coalesce(sum(output_tokens) FILTER (WHERE NOT cached), 0)::bigint AS new_output_tokens,
        coalesce(sum(cost) FILTER (WHERE NOT cached), 0) AS new_cost
    FROM llm_calls WHERE account_id = %(account_id)s AND created_at >= %(since)s AND created_at < %(until)s) c;
