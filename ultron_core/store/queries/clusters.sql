-- name: nearest
-- The cluster whose centroid is nearest to a vector.
SELECT cluster_id, size, 1 - (centroid <=> %(vector)s::vector) AS cosine FROM clusters
WHERE account_id = %(account_id)s AND model_id = %(model_id)s
ORDER BY centroid <=> %(vector)s::vector, cluster_id LIMIT 1;

-- name: insert
-- A new cluster.
INSERT INTO clusters (cluster_id, account_id, model_id, topic, topic_by, centroid, size, created_at, updated_at)
VALUES (%(cluster_id)s, %(account_id)s, %(model_id)s, %(topic)s, %(topic_by)s, %(vector)s::vector, 0, %(now)s, %(now)s);

-- name: join
-- A memory joins a cluster.
INSERT INTO cluster_members (memory_id, cluster_id, account_id, joined_at)
VALUES (%(memory_id)s, %(cluster_id)s, %(account_id)s, %(now)s) ON CONFLICT (memory_id) DO NOTHING;

-- name: leave
-- Members that leave; their clusters are returned.
DELETE FROM cluster_members WHERE memory_id = ANY(%(ids)s) RETURNING cluster_id;

-- name: cluster_of
-- Which cluster a memory is in.
SELECT cluster_id FROM cluster_members WHERE memory_id = %(memory_id)s;

-- name: refresh
-- Size and centroid from the members; the centroid is the mean of their unit vectors.
UPDATE clusters c SET size = s.size, centroid = s.centroid, updated_at = %(now)s
FROM (
    SELECT cm.cluster_id, count(*)::integer AS size, avg(v.exact) AS centroid
    FROM cluster_members cm JOIN memory_vectors v ON v.memory_id = cm.memory_id AND v.model_id = %(model_id)s
    WHERE cm.cluster_id = ANY(%(ids)s) GROUP BY 1
) s WHERE c.cluster_id = s.cluster_id
    AND (c.size, c.centroid) IS DISTINCT FROM (s.size, s.centroid);

-- name: delete_empty
-- Clusters whose last member left.
DELETE FROM clusters c WHERE c.cluster_id = ANY(%(ids)s)
    AND NOT EXISTS (SELECT 1 FROM cluster_members cm WHERE cm.cluster_id = c.cluster_id);

-- name: unassigned
-- Active memories with a vector that are in no cluster.
SELECT m.id, m.summary_l0, v.exact::text AS vector FROM memories m
JOIN memory_vectors v ON v.memory_id = m.id AND v.model_id = %(model_id)s
WHERE m.account_id = %(account_id)s AND m.status = 'active'
    AND NOT EXISTS (SELECT 1 FROM cluster_members cm WHERE cm.memory_id = m.id)
ORDER BY m.created_at, m.id;

-- name: vectors
-- Active memories with their vectors and clusters, in a fixed order.
SELECT m.id, m.summary_l0, m.body_sha256, v.exact::text AS vector, cm.cluster_id FROM memories m
JOIN memory_vectors v ON v.memory_id = m.id AND v.model_id = %(model_id)s
LEFT JOIN cluster_members cm ON cm.memory_id = m.id
WHERE m.account_id = %(account_id)s AND m.status = 'active'
ORDER BY m.memory_type, m.body_sha256, m.id;

-- name: all
-- Clusters with their members, largest first.
SELECT c.*, c.centroid::text AS centroid_text,
    array_agg(cm.memory_id::text ORDER BY cm.joined_at, cm.memory_id) AS memory_ids
FROM clusters c JOIN cluster_members cm ON cm.cluster_id = c.cluster_id
WHERE c.account_id = %(account_id)s AND (%(cluster_id)s::uuid IS NULL OR c.cluster_id = %(cluster_id)s)
GROUP BY c.cluster_id ORDER BY c.size DESC, c.cluster_id;

-- name: set_topic
-- A better topic.
UPDATE clusters SET topic = %(topic)s, topic_by = %(topic_by)s, updated_at = %(now)s
WHERE cluster_id = %(cluster_id)s AND topic <> %(topic)s;

-- name: mark_crystallized
-- Its memories became a skill; an earlier skill of other name is superseded.
UPDATE clusters SET crystallized_size = size, updated_at = %(now)s,
    superseded_slugs = CASE WHEN skill_slug IS NOT NULL AND skill_slug <> %(slug)s
        THEN array_append(superseded_slugs, skill_slug) ELSE superseded_slugs END,
    skill_slug = %(slug)s
WHERE cluster_id = %(cluster_id)s AND account_id = %(account_id)s;

-- name: delete_all
-- Before everything is clustered anew; clusters with a skill are kept by their members.
DELETE FROM clusters WHERE account_id = %(account_id)s AND cluster_id <> ALL(%(keep)s);
