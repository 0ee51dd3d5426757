-- name: lock
-- One writer of clusters and document frequencies; always taken after the types.
SELECT pg_advisory_xact_lock(hashtextextended('clusters:' || %(account_id)s, 0));

-- name: near
-- The clusters nearest to each of some vectors, each once.
SELECT DISTINCT ON (c.cluster_id) c.cluster_id, c.size, c.centroid
FROM unnest(%(vectors)b::vector[]) AS q(vector) CROSS JOIN LATERAL (
    SELECT cluster_id, size, centroid FROM clusters
    WHERE account_id = %(account_id)s AND model_id = %(model_id)s
    ORDER BY centroid <=> q.vector, cluster_id LIMIT 3
) c ORDER BY c.cluster_id;

-- name: of_members
-- The clusters that some memories are in, each once; of one model, or of any.
SELECT c.cluster_id, c.size, c.centroid FROM clusters c
WHERE c.account_id = %(account_id)s AND (%(model_id)s::text IS NULL OR c.model_id = %(model_id)s)
    AND c.cluster_id IN (SELECT cluster_id FROM cluster_members WHERE memory_id = ANY(%(ids)s))
ORDER BY c.cluster_id;

-- name: centroids
-- All clusters of a model, in the order they were made.
SELECT cluster_id, size, centroid, skill_slug, checked_size FROM clusters
WHERE account_id = %(account_id)s AND model_id = %(model_id)s ORDER BY created_at, cluster_id;

-- name: insert
-- New clusters, without members yet.
INSERT INTO clusters (cluster_id, account_id, model_id, topic, topic_by, centroid, size, created_at, updated_at)
SELECT n.cluster_id, %(account_id)s, %(model_id)s, n.topic, 'words', n.centroid, n.size, %(now)s, %(now)s
FROM unnest(%(ids)s::uuid[], %(topics)s::text[], %(centroids)b::vector[], %(sizes)s::integer[])
    AS n(cluster_id, topic, centroid, size);

-- name: move
-- Centroids and sizes after memories joined or left. A skill that was made of more members than are left has
-- seen all that are left.
UPDATE clusters c SET centroid = n.centroid, size = n.size, updated_at = %(now)s,
    crystallized_size = CASE WHEN c.crystallized_size > n.size THEN n.size ELSE c.crystallized_size END
FROM unnest(%(ids)s::uuid[], %(centroids)b::vector[], %(sizes)s::integer[]) AS n(cluster_id, centroid, size)
WHERE c.cluster_id = n.cluster_id AND c.account_id = %(account_id)s;

-- name: join
-- Memories join clusters; one that is a member already stays where it is, one that is archived stays out.
INSERT INTO cluster_members (memory_id, cluster_id, account_id, joined_at)
SELECT n.memory_id, n.cluster_id, %(account_id)s, %(now)s
FROM unnest(%(memory_ids)s::uuid[], %(cluster_ids)s::uuid[]) AS n(memory_id, cluster_id)
JOIN memories m ON m.id = n.memory_id AND m.account_id = %(account_id)s AND m.status = 'active'
ON CONFLICT (memory_id) DO NOTHING;

-- name: leave
-- Members that leave, with their clusters and vectors.
WITH gone AS (
    DELETE FROM cluster_members WHERE memory_id = ANY(%(ids)s) AND account_id = %(account_id)s
    RETURNING cluster_id, memory_id
)
SELECT g.cluster_id, c.size, c.centroid, v.exact FROM gone g JOIN clusters c USING (cluster_id)
LEFT JOIN memory_vectors v ON v.memory_id = g.memory_id AND v.model_id = %(model_id)s AND c.model_id = v.model_id;

-- name: refresh
-- Size and centroid from the members; the centroid is the mean of their unit vectors.
UPDATE clusters c SET size = s.size, centroid = s.centroid, updated_at = %(now)s,
    crystallized_size = CASE WHEN c.crystallized_size > s.size THEN s.size ELSE c.crystallized_size END
FROM (
    SELECT cm.cluster_id, count(*)::integer AS size, avg(v.exact) AS centroid
    FROM cluster_members cm JOIN memory_vectors v ON v.memory_id = cm.memory_id AND v.model_id = %(model_id)s
    WHERE cm.cluster_id = ANY(%(ids)s) GROUP BY 1
) s WHERE c.cluster_id = s.cluster_id AND c.account_id = %(account_id)s
    AND (c.size, c.centroid) IS DISTINCT FROM (s.size, s.centroid);

-- name: delete_empty
-- Clusters whose last member left.
DELETE FROM clusters c WHERE c.cluster_id = ANY(%(ids)s) AND c.account_id = %(account_id)s
    AND NOT EXISTS (SELECT 1 FROM cluster_members cm WHERE cm.cluster_id = c.cluster_id);

-- name: unassigned
-- Active memories with a vector that are in no cluster; of some ids, or of all.
SELECT m.id, m.summary_l0, v.exact FROM memories m
JOIN memory_vectors v ON v.memory_id = m.id AND v.model_id = %(model_id)s
WHERE m.account_id = %(account_id)s AND m.status = 'active'
    AND (%(ids)s::uuid[] IS NULL OR m.id = ANY(%(ids)s))
    AND NOT EXISTS (SELECT 1 FROM cluster_members cm WHERE cm.memory_id = m.id)
ORDER BY m.created_at, m.id LIMIT %(limit)s;

-- name: order
-- Active memories with a vector and their clusters, in an order that depends on their words alone.
SELECT m.id, cm.cluster_id FROM memories m
JOIN memory_vectors v ON v.memory_id = m.id AND v.model_id = %(model_id)s
LEFT JOIN cluster_members cm ON cm.memory_id = m.id
WHERE m.account_id = %(account_id)s AND m.status = 'active'
ORDER BY m.memory_type, m.body_sha256, m.id;

-- name: vectors
-- The vectors of some memories.
SELECT memory_id, exact FROM memory_vectors
WHERE memory_id = ANY(%(ids)s) AND model_id = %(model_id)s AND account_id = %(account_id)s;

-- name: members
-- The members of some clusters with their vectors.
SELECT cm.cluster_id, cm.memory_id, v.exact FROM cluster_members cm
JOIN memory_vectors v ON v.memory_id = cm.memory_id AND v.model_id = %(model_id)s
WHERE cm.cluster_id = ANY(%(ids)s) AND cm.account_id = %(account_id)s ORDER BY cm.cluster_id, cm.memory_id;

-- name: all
-- Clusters with their members, largest first.
SELECT c.*, array_agg(cm.memory_id ORDER BY cm.joined_at, cm.memory_id) AS memory_ids
FROM clusters c JOIN cluster_members cm ON cm.cluster_id = c.cluster_id
WHERE c.account_id = %(account_id)s AND (%(cluster_id)s::uuid IS NULL OR c.cluster_id = %(cluster_id)s)
GROUP BY c.cluster_id ORDER BY c.size DESC, c.cluster_id;

-- name: sample
-- Members for a picture, evenly over all ids, and how many there are.
SELECT s.memory_id, s.cluster_id, v.exact, s.total FROM (
    SELECT memory_id, cluster_id, count(*) OVER () AS total, row_number() OVER (ORDER BY memory_id) - 1 AS position
    FROM cluster_members WHERE account_id = %(account_id)s
) s JOIN memory_vectors v ON v.memory_id = s.memory_id AND v.model_id = %(model_id)s
WHERE s.position %% ((s.total + %(most)s - 1) / %(most)s) = 0 ORDER BY s.memory_id;

-- name: summaries
-- What clusters (some, or all) are about: summaries of the first members of each.
SELECT c.cluster_id, c.topic, c.topic_by, c.size, ARRAY(
    SELECT m.summary_l0 FROM cluster_members cm JOIN memories m ON m.id = cm.memory_id
    WHERE cm.cluster_id = c.cluster_id ORDER BY cm.joined_at, cm.memory_id LIMIT %(most)s) AS summaries
FROM clusters c
WHERE c.account_id = %(account_id)s AND (%(ids)s::uuid[] IS NULL OR c.cluster_id = ANY(%(ids)s))
ORDER BY c.size DESC, c.cluster_id;

-- name: set_topics
-- Better topics; only changed ones are written.
UPDATE clusters c SET topic = n.topic, topic_by = %(topic_by)s, updated_at = %(now)s
FROM unnest(%(ids)s::uuid[], %(topics)s::text[]) AS n(cluster_id, topic)
WHERE c.cluster_id = n.cluster_id AND c.account_id = %(account_id)s
    AND (c.topic, c.topic_by) IS DISTINCT FROM (n.topic, %(topic_by)s);

-- name: mark_crystallized
-- Its memories became a skill; an earlier skill of other name is superseded.
UPDATE clusters SET crystallized_size = size, updated_at = %(now)s,
    superseded_slugs = CASE WHEN skill_slug IS NOT NULL AND skill_slug <> %(slug)s
        THEN array_append(superseded_slugs, skill_slug) ELSE superseded_slugs END,
    skill_slug = %(slug)s
WHERE cluster_id = %(cluster_id)s AND account_id = %(account_id)s;

-- name: delete_all
-- Before everything is clustered from scratch; clusters with a skill are kept by their members.
DELETE FROM clusters WHERE account_id = %(account_id)s AND skill_slug IS NULL;

-- name: sizes
-- Present sizes of some clusters, with what may not be lost.
SELECT cluster_id, size FROM clusters WHERE account_id = %(account_id)s AND cluster_id = ANY(%(ids)s);

-- name: hand_over
-- Members of one cluster go to another: all, or some.
UPDATE cluster_members SET cluster_id = %(to_id)s
WHERE cluster_id = %(from_id)s AND account_id = %(account_id)s
    AND (%(memory_ids)s::uuid[] IS NULL OR memory_id = ANY(%(memory_ids)s));

-- name: unchecked
-- Clusters that are another set of memories now: named by words again.
UPDATE clusters SET checked_size = NULL, topic_by = 'words' WHERE account_id = %(account_id)s AND cluster_id = ANY(%(ids)s);

-- name: checked
-- Clusters that were looked at for a split.
UPDATE clusters SET checked_size = size
WHERE account_id = %(account_id)s AND cluster_id = ANY(%(ids)s) AND checked_size IS DISTINCT FROM size;

-- name: insert_change
-- Why two clusters became one, or one two.
INSERT INTO cluster_changes (id, account_id, kind, cluster_id, other_id, cosine, cohesion, size, other_size, reason,
    created_at)
VALUES (%(id)s, %(account_id)s, %(kind)s, %(cluster_id)s, %(other_id)s, %(cosine)s, %(cohesion)s, %(size)s,
    %(other_size)s, %(reason)s, %(now)s);

-- name: changes
-- The latest merges and splits, with the topic of the cluster that stayed.
SELECT h.*, coalesce(c.topic, '') AS topic FROM cluster_changes h LEFT JOIN clusters c ON c.cluster_id = h.cluster_id
WHERE h.account_id = %(account_id)s AND (%(cluster_id)s::uuid IS NULL OR %(cluster_id)s IN (h.cluster_id, h.other_id))
ORDER BY h.created_at DESC, h.id LIMIT %(limit)s;
