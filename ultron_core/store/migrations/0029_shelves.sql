-- A second shelf: what only an agent said in one session (`claimed`), apart from what something bears out (`active`). Both
-- are searched, so that words, vectors and near ones are kept of either; `archived` is out of all of it.
ALTER TABLE memories DROP CONSTRAINT memories_status_check,
    ADD CONSTRAINT memories_status_check CHECK (status IN ('active', 'claimed', 'archived'));
-- How likely it is worth keeping, by the ranker that chose it; NULL: nothing judged it.
ALTER TABLE memories ADD COLUMN probability double precision CHECK (probability BETWEEN 0 AND 1);
ALTER TABLE memory_contributions ADD COLUMN probability double precision CHECK (probability BETWEEN 0 AND 1);

-- the rebalance leaves out whatever is not active, as before what is archived
DROP INDEX memories_archived;
CREATE INDEX memories_shelved ON memories (account_id, id) WHERE status <> 'active';
-- drafts are compared with both shelves
DROP INDEX memory_vectors_filter;
CREATE INDEX memory_vectors_filter ON memory_vectors (model_id, account_id, memory_type, version)
    WHERE status <> 'archived';

-- What two sessions said is repeated; two copies of one task are one. The rule is that of `shelve` (memories.sql).
UPDATE memories m SET proof = 'repeated'
WHERE m.trust = 'agent' AND m.proof = 'claimed' AND 2 <= (
    SELECT least(count(DISTINCT s.session_id), count(DISTINCT t.fingerprint))
    FROM memory_contributions c JOIN memory_sources s ON s.id = c.source_id JOIN task_segments t ON t.id = s.segment_id
    WHERE c.memory_id = m.id)
    AND NOT EXISTS (SELECT FROM memory_versions v WHERE v.memory_id = m.id
        AND (v.content, v.context, v.resolution) <> (m.content, m.context, m.resolution));

-- What stands by the rule goes to its shelf, out of clusters and HOT with it.
WITH moved AS (
    UPDATE memories m SET status = 'claimed'
    WHERE m.status = 'active' AND m.trust = 'agent' AND m.proof = 'claimed'
        AND NOT EXISTS (SELECT FROM memory_contributions c
            WHERE c.memory_id = m.id AND c.source_id IS NOT NULL AND c.trust = 'upload')
        AND NOT EXISTS (SELECT FROM memory_versions v WHERE v.memory_id = m.id
            AND (v.content, v.context, v.resolution) <> (m.content, m.context, m.resolution))
        AND NOT EXISTS (SELECT FROM memory_verdicts v
            WHERE v.memory_id = m.id AND v.verdict = 'confirmed' AND v.body_sha256 = m.body_sha256)
    RETURNING m.id
), searched AS (
    UPDATE memory_search SET status = 'claimed' WHERE memory_id IN (SELECT id FROM moved)
), embedded AS (
    UPDATE memory_vectors SET status = 'claimed' WHERE memory_id IN (SELECT id FROM moved)
), cooled AS (
    UPDATE memory_usage SET tier = 'WARM' WHERE tier = 'HOT' AND memory_id IN (SELECT id FROM moved)
), gone AS (
    DELETE FROM cluster_members WHERE memory_id IN (SELECT id FROM moved) RETURNING cluster_id, memory_id
), left_over AS (
    SELECT c.cluster_id, count(v.memory_id)::integer AS size, avg(v.exact) AS centroid
    FROM (SELECT DISTINCT cluster_id FROM gone) d JOIN clusters c USING (cluster_id)
    JOIN cluster_members cm ON cm.cluster_id = c.cluster_id AND cm.memory_id NOT IN (SELECT memory_id FROM gone)
    JOIN memory_vectors v ON v.memory_id = cm.memory_id AND v.model_id = c.model_id
    GROUP BY 1
), shrunk AS (
    UPDATE clusters c SET size = l.size, centroid = l.centroid, checked_size = NULL,
        crystallized_size = least(c.crystallized_size, l.size)
    FROM left_over l WHERE l.cluster_id = c.cluster_id
)
DELETE FROM clusters c WHERE c.cluster_id IN (SELECT cluster_id FROM gone)
    AND NOT EXISTS (SELECT FROM left_over l WHERE l.cluster_id = c.cluster_id);
