-- name: databases
-- Databases of the server that rows may be in.
SELECT datname AS name FROM pg_database WHERE datallowconn AND NOT datistemplate ORDER BY 1;

-- name: forget_statistics
-- What the planner has sampled of tables, with values of rows that may be gone; the next ANALYZE samples anew.
DELETE FROM pg_statistic WHERE starelid IN (
    SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast'));

-- name: tables
-- Tables of this database, and the one of statistics.
SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
UNION ALL SELECT 'pg_catalog.pg_statistic' ORDER BY 1;

-- name: rewrite
-- Live rows alone, in new files, with their indexes.
VACUUM (FULL) {table};

-- name: sample
-- Statistics of what is there.
ANALYZE;

-- name: no_recycling
-- Old files of the write-ahead log are deleted, not used again as they are.
ALTER SYSTEM SET wal_recycle = off;

-- name: recycling
-- As before.
ALTER SYSTEM RESET wal_recycle;

-- name: reload
-- The server reads its settings.
SELECT pg_reload_conf();

-- name: wal_files
-- How many files the write-ahead log has.
SELECT count(*) AS count FROM pg_ls_waldir();

-- name: next_wal_file
-- The write-ahead log goes on in another file.
SELECT pg_switch_wal(), pg_logical_emit_message(true, 'ultron', '');

-- name: checkpoint
-- What is in memory goes to the files, and old files of the write-ahead log go.
CHECKPOINT;
