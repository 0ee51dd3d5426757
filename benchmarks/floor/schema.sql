-- The floor: the least that Postgres must do for the same work, frozen on 2026-11-21. No redaction, no sources, no
-- decisions, no clusters. One search table with filter columns beside the vector and the words; counters apart.
CREATE SCHEMA floor;
CREATE TABLE floor.bodies (id uuid PRIMARY KEY, account_id text NOT NULL, content text NOT NULL);
CREATE TABLE floor.search (
    id uuid PRIMARY KEY, account_id text NOT NULL, type text NOT NULL, status text NOT NULL,
    embedding public.halfvec(512) NOT NULL, terms integer[] NOT NULL, weights public.sparsevec(1000000000) NOT NULL
);
CREATE TABLE floor.usage (
    id uuid PRIMARY KEY, tier text NOT NULL, hit_count bigint NOT NULL, last_hit_at timestamptz NOT NULL
) WITH (fillfactor = 80);
