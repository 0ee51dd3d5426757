-- Rebalance without reading bodies; clusters that merge and split; vectors that never outlive their words.

-- which memories are active, read from the index alone
CREATE INDEX memories_active ON memories (account_id, id) WHERE status = 'active';

-- centroids are compared row by row: in line they are read three times as fast as from a TOAST table
ALTER TABLE clusters ALTER COLUMN centroid SET STORAGE MAIN;
-- size when it was last looked at for a split; a cluster is looked at again when it has changed enough
ALTER TABLE clusters ADD COLUMN checked_size integer;

-- What clusters were made of others, and why.
CREATE TABLE cluster_changes (
    id         uuid PRIMARY KEY,
    account_id text NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('merge', 'split')),
    cluster_id uuid NOT NULL,                  -- the one that stayed
    other_id   uuid NOT NULL,                  -- the one that went into it, or came out of it
    cosine     real NOT NULL,                  -- between their centroids
    cohesion   real NOT NULL,                  -- mean cosine of members to the centroid, of both together
    size       integer NOT NULL,               -- of the one that stayed, afterwards
    other_size integer NOT NULL,               -- members that moved
    reason     text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX cluster_changes_listing ON cluster_changes (account_id, created_at);

-- The model that a re-embedding is under way to.
ALTER TABLE embedding_models ADD COLUMN wanted_since timestamptz;
CREATE UNIQUE INDEX embedding_models_wanted ON embedding_models (account_id) WHERE wanted_since IS NOT NULL;

-- A vector says what the words say. Who changes the words writes the vector of the model in use; those of all
-- other models go, and are made again by whoever needs them.
CREATE FUNCTION drop_stale_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM ultron.memory_vectors WHERE memory_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER memories_words_changed AFTER UPDATE OF content, context, resolution ON memories
    FOR EACH ROW WHEN ((OLD.content, OLD.context, OLD.resolution) IS DISTINCT FROM (NEW.content, NEW.context, NEW.resolution))
    EXECUTE FUNCTION drop_stale_vectors();
