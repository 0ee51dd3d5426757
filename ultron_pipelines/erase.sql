-- name: tables
-- Columns of Dagster's tables that hold text.
SELECT c.table_name AS table, c.column_name AS column FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
    AND c.data_type IN ('text', 'character varying') AND c.table_name <> 'alembic_version'
ORDER BY 1, 2;

-- name: count_rows
-- How many rows of a table name them.
SELECT count(*) FROM {table} WHERE {named};

-- name: names
-- Whether a column does.
{column} ~ %(pattern)s;

-- name: delete_partitions
-- They go.
DELETE FROM {table} WHERE partition = ANY(%(words)s);

-- name: replace_words
-- Their names go from the text.
UPDATE {table} SET {column} = regexp_replace({column}, %(pattern)s, 'erased', 'g') WHERE {column} ~ %(pattern)s;

-- name: forget_status
-- What Dagster remembers of the state of partitions, and can find out again.
UPDATE asset_keys SET cached_status_data = NULL WHERE cached_status_data ~ %(pattern)s;

-- name: packed
-- Texts of a table in which something is packed.
SELECT id, {column} FROM {table} WHERE {column} ~ 'eJ[A-Za-z0-9+/]{{20}}';

-- name: repack
-- One of them without these names.
UPDATE {table} SET {column} = %(text)s WHERE id = %(id)s;

-- name: has_database
-- Whether the server has a database of this name.
SELECT 1 FROM pg_database WHERE datname = %(name)s;
