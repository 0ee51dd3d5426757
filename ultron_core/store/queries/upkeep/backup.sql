-- name: end_leftovers
-- Ends restores of killed commands that still work on this database.
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = %(name)s AND pid <> pg_backend_pid();

-- name: try_lock
-- One restore a database at a time; let go with the connection.
SELECT pg_try_advisory_lock(hashtextextended('restore', 0)) AS got;

-- name: accounts
-- Whoever owns something that a digest tells of.
SELECT account_id FROM memories UNION SELECT account_id FROM sessions UNION SELECT account_id FROM drops ORDER BY 1;

-- name: has_database
-- Whether the server has a database of this name.
SELECT EXISTS (SELECT FROM pg_database WHERE datname = %(name)s) AS found;

-- name: tables
-- Tables of this database but for the server's own and those of extensions.
SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND NOT starts_with(n.nspname, 'pg_')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY 1, 2;

-- name: holds_rows
-- Whether a table has any row.
SELECT EXISTS (SELECT FROM {table}) AS found;

-- name: drop_schema
-- The schema of a store that was opened and holds nothing.
DROP SCHEMA IF EXISTS ultron CASCADE;
