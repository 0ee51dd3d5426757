-- name: find_memory
-- Memories whose id starts with these characters.
SELECT id FROM memories WHERE account_id = %(account_id)s AND id::text LIKE %(prefix)s || '%%' ORDER BY id LIMIT 3;

-- name: decisions
-- How a memory came to be what it is.
SELECT id, decision, reason, score, threshold, other_id, decided_by, undone_at, created_at FROM merge_decisions
WHERE account_id = %(account_id)s AND memory_id = %(memory_id)s ORDER BY created_at, id;

-- name: table_counts
-- Rows of the tables that people ask about.
SELECT (SELECT count(*) FROM memories WHERE account_id = %(account_id)s) AS memories,
    (SELECT count(*) FROM clusters WHERE account_id = %(account_id)s) AS clusters,
    (SELECT count(*) FROM drops WHERE account_id = %(account_id)s) AS drops,
    (SELECT count(*) FROM sft_exports WHERE account_id = %(account_id)s) AS sft_exports,
    (SELECT count(*) FROM message_windows WHERE account_id = %(account_id)s) AS message_windows,
    pg_database_size(current_database()) AS database_bytes;
