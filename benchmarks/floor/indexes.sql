CREATE INDEX search_hnsw ON floor.search USING hnsw (embedding public.halfvec_cosine_ops)
    WITH (m = 16, ef_construction = 64) WHERE status = 'active';
CREATE INDEX search_terms ON floor.search USING gin (terms);
CREATE INDEX search_filter ON floor.search (account_id, type) WHERE status = 'active';
ANALYZE floor.search;
ANALYZE floor.usage;
