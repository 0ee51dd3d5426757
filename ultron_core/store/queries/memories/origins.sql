-- name: insert_origins
-- Where contributions come from, their redacted originals, what was decided about each and why, links to memories that
-- are near but not the same, and what each idempotency key made. Decisions of a batch are a microsecond apart, in its
-- order: who undoes one must know which came later. A contribution whose segment was cut again stays without a source; the
-- same words out of the new segment take its place, with the decision by which it came.
WITH given AS (
    SELECT g.id, g.agent_id, g.memory_id, g.source_id, g.content, g.context, g.resolution, g.tags, g.merged, g.pending,
        g.trust, g.proof, g.lesson, g.probability, g.cure
    FROM jsonb_to_recordset(%(contributions)s) AS g(id uuid, agent_id text, memory_id uuid, source_id uuid,
        content text, context text, resolution text, tags text[], merged boolean, pending boolean, trust text,
        proof text, lesson text, probability float8, cure text)
), successors AS (
    SELECT DISTINCT ON (c.id) c.id, c.merged, g.id AS successor
    FROM given g JOIN memory_contributions c USING (memory_id, content, context, resolution)
    WHERE c.account_id = %(account_id)s AND c.source_id IS NULL AND g.source_id IS NOT NULL
    ORDER BY c.id, g.id
), replaced AS (
    DELETE FROM memory_contributions c USING successors s WHERE c.id = s.id
), moved_decisions AS (
    UPDATE merge_decisions d SET contribution_id = s.successor FROM successors s
    WHERE d.contribution_id = s.id AND d.account_id = %(account_id)s
), sourced AS (
    INSERT INTO memory_sources (id, account_id, agent_id, memory_id, kind, segment_id, session_id, raw_upload_id,
        start_line, end_line, segment_start_line, quote, trust, project, created_at)
    SELECT g.id, %(account_id)s, g.agent_id, g.memory_id, g.kind, g.segment_id, g.session_id, g.raw_upload_id,
        g.start_line, g.end_line, g.segment_start_line, g.quote, g.trust, g.project, %(now)s
    FROM jsonb_to_recordset(%(sources)s) AS g(id uuid, agent_id text, memory_id uuid, kind text, segment_id uuid,
        session_id uuid, raw_upload_id uuid, start_line integer, end_line integer, segment_start_line integer,
        quote text, trust text, project text)
), contributed AS (
    INSERT INTO memory_contributions (id, account_id, agent_id, memory_id, source_id, session_id, content, context,
        resolution, tags, merged, pending_merge, trust, proof, lesson, probability, cure,
        contributed_at)
    SELECT g.id, %(account_id)s, g.agent_id, g.memory_id, g.source_id, o.session_id, g.content, g.context, g.resolution,
        g.tags, g.merged AND NOT EXISTS (SELECT 1 FROM successors s WHERE s.successor = g.id AND NOT s.merged), g.pending,
        g.trust, g.proof, g.lesson, g.probability, g.cure, %(now)s
    FROM given g
    LEFT JOIN jsonb_to_recordset(%(sources)s) AS o(id uuid, session_id uuid) ON o.id = g.source_id
), linked AS (
    INSERT INTO memory_links (account_id, from_id, to_id, kind, score, reason, created_at)
    SELECT %(account_id)s, g.from_id, g.to_id, g.kind, g.score, g.reason, %(now)s
    FROM jsonb_to_recordset(%(links)s) AS g(from_id uuid, to_id uuid, kind text, score real, reason text)
    ON CONFLICT DO NOTHING
), keyed AS (
    INSERT INTO idempotency_keys (account_id, agent_id, key, request_hash, memory_id, created_at)
    SELECT %(account_id)s, g.agent_id, g.key, g.request_hash, g.memory_id, %(now)s
    FROM jsonb_to_recordset(%(keys)s) AS g(agent_id text, key text, request_hash text, memory_id uuid)
)
INSERT INTO merge_decisions (id, account_id, memory_id, other_id, contribution_id, decision, reason, score, threshold,
    model_id, body_before, decided_by, created_at)
SELECT g.id, %(account_id)s, g.memory_id, g.other_id, g.contribution_id, g.decision, g.reason, g.score,
    %(threshold)s, %(model_id)s, g.body_before, g.decided_by,
    %(now)s::timestamptz + g.position * interval '1 microsecond'
FROM ROWS FROM (jsonb_to_recordset(%(decisions)s) AS (id uuid, memory_id uuid, other_id uuid, contribution_id uuid,
    decision text, reason text, score real, body_before jsonb, decided_by text)) WITH ORDINALITY
    AS g(id, memory_id, other_id, contribution_id, decision, reason, score, body_before, decided_by, position)
WHERE NOT EXISTS (SELECT 1 FROM successors s WHERE s.successor = g.contribution_id);

-- name: hand_over
-- Everything that came to one memory goes to another, whose body was never one of those from before; that the first was
-- archived once goes with it.
WITH moved_keys AS (UPDATE idempotency_keys SET memory_id = %(to_id)s WHERE memory_id = %(from_id)s),
    moved_sources AS (UPDATE memory_sources SET memory_id = %(to_id)s WHERE memory_id = %(from_id)s),
    moved_parts AS (
        UPDATE memory_contributions SET memory_id = %(to_id)s, merged = true, pending_merge = %(pending)s
        WHERE memory_id = %(from_id)s
    )
UPDATE merge_decisions SET memory_id = %(to_id)s, body_before = NULL
WHERE memory_id = %(from_id)s AND decision NOT IN ('archive', 'return');

-- name: split_off
-- A contribution that is a separate memory again, with its source, and with the decision by which it came, if it began
-- as one.
WITH moved_decisions AS (
    UPDATE merge_decisions SET memory_id = %(memory_id)s
    WHERE contribution_id = %(id)s AND account_id = %(account_id)s AND decision <> 'merge'
), moved_source AS (
    UPDATE memory_sources SET memory_id = %(memory_id)s
    WHERE id = (SELECT source_id FROM memory_contributions WHERE id = %(id)s) AND account_id = %(account_id)s
)
UPDATE memory_contributions SET memory_id = %(memory_id)s, merged = false, pending_merge = false
WHERE id = %(id)s AND account_id = %(account_id)s;

-- name: decision
-- One decision that can still be undone.
SELECT * FROM merge_decisions WHERE id = %(id)s AND account_id = %(account_id)s;

-- name: contribution
-- One contribution.
SELECT * FROM memory_contributions WHERE id = %(id)s AND account_id = %(account_id)s;

-- name: first_contribution
-- What a memory was made of: not what was merged into it, be it of the same moment.
SELECT id FROM memory_contributions WHERE memory_id = %(id)s ORDER BY merged, contributed_at, id LIMIT 1;

-- name: pending_contributions
-- Merges whose facts are not in the body yet, those first that the model has not refused to word.
SELECT * FROM memory_contributions WHERE account_id = %(account_id)s AND pending_merge
ORDER BY model_tried NULLS FIRST, contributed_at, id LIMIT %(limit)s;

-- name: contribution_tried
-- The model's answer was of no use.
UPDATE memory_contributions SET model_tried = %(now)s WHERE id = ANY(%(ids)s) AND account_id = %(account_id)s;

-- name: contribution_merged
-- Its facts are in the body.
UPDATE memory_contributions SET pending_merge = false
WHERE id = %(id)s AND account_id = %(account_id)s AND memory_id = %(memory_id)s AND pending_merge;

-- name: undone
-- A decision that does not hold any more.
UPDATE merge_decisions SET undone_at = %(now)s
WHERE id = %(id)s AND account_id = %(account_id)s AND undone_at IS NULL;

-- name: forget_bodies
-- A body edited by hand stays: undoing a merge from before cannot bring back the words it had then.
UPDATE merge_decisions SET body_before = NULL
WHERE account_id = %(account_id)s AND memory_id = %(memory_id)s AND body_before IS NOT NULL;

-- name: purge_words
-- No words of a memory stay but those that it says now: older versions are empty, its parts say what it says, by whom it
-- says it, quotes and reasons that may quote are gone, and no merge can be undone.
WITH own AS (
    SELECT id, content, context, resolution, tags, trust, proof, lesson, probability FROM memories
    WHERE id = %(memory_id)s AND account_id = %(account_id)s
), versions AS (
    UPDATE memory_versions v SET content = '', context = '', resolution = '', tags = '{}' FROM own o
    WHERE v.memory_id = o.id AND (v.content, v.context, v.resolution) <> (o.content, o.context, o.resolution)
), other_tags AS (
    UPDATE memory_versions v SET tags = '{}' FROM own o
    WHERE v.memory_id = o.id AND (v.content, v.context, v.resolution) = (o.content, o.context, o.resolution)
), parts AS (
    UPDATE memory_contributions c SET content = o.content, context = o.context, resolution = o.resolution, tags = o.tags,
        pending_merge = false, trust = CASE o.trust WHEN 'agent' THEN c.trust ELSE o.trust END,
        proof = CASE o.trust WHEN 'agent' THEN c.proof ELSE o.proof END,
        lesson = CASE o.trust WHEN 'agent' THEN c.lesson ELSE o.lesson END,
        probability = CASE o.trust WHEN 'agent' THEN c.probability ELSE o.probability END
    FROM own o WHERE c.memory_id = o.id
), quotes AS (
    UPDATE memory_sources s SET quote = '' FROM own o WHERE s.memory_id = o.id
), links AS (
    UPDATE memory_links l SET reason = '' FROM own o WHERE o.id IN (l.from_id, l.to_id)
)
UPDATE merge_decisions d SET body_before = NULL, reason = CASE WHEN d.decision = 'merge' THEN 'words_purged'
    WHEN d.decided_by IN ('rules', 'person') THEN d.reason ELSE '' END
FROM own o WHERE d.memory_id = o.id;

-- name: later_merges
-- Merges into the same memory after this one that still hold.
SELECT d.id FROM merge_decisions d JOIN merge_decisions own ON own.id = %(id)s
WHERE d.memory_id = %(memory_id)s AND d.decision = 'merge' AND d.undone_at IS NULL AND d.id <> own.id
    AND d.created_at > own.created_at;

-- name: retract_sources
-- Sources of a segment for memories that it no longer gives.
DELETE FROM memory_sources
WHERE segment_id = %(segment_id)s AND account_id = %(account_id)s AND NOT memory_id = ANY(%(kept)s)
RETURNING memory_id;

-- name: decisions
-- How a memory came to be what it is.
SELECT id, decision, reason, score, threshold, other_id, decided_by, undone_at, created_at FROM merge_decisions
WHERE account_id = %(account_id)s AND memory_id = %(memory_id)s ORDER BY created_at, id;

-- name: links
-- Memories near to one, or at odds with it: `newer` is true where it is the later of the two.
SELECT other.id AS other_id, l.kind, l.from_id = %(memory_id)s AS newer, l.score, l.reason, l.created_at,
    other.summary_l0 AS summary, other.status
FROM memory_links l JOIN memories other ON other.id = CASE l.from_id WHEN %(memory_id)s THEN l.to_id ELSE l.from_id END
WHERE l.account_id = %(account_id)s AND %(memory_id)s IN (l.from_id, l.to_id) ORDER BY l.created_at, other.id, l.kind;

-- name: given_again
-- What the rules say now of words that a segment has given before, and of the memory that stands in them where nobody else
-- gave it, nor edited it.
WITH given AS (
    SELECT g.memory_id, g.given_by, g.trust, g.proof, g.lesson, g.probability, g.cure
    FROM jsonb_to_recordset(%(rows)s) AS g(memory_id uuid, given_by uuid, trust text, proof text, lesson text,
        probability float8, cure text)
), sourced AS (
    UPDATE memory_sources s SET trust = g.trust FROM given g
    WHERE s.memory_id = g.memory_id AND s.segment_id = g.given_by AND s.account_id = %(account_id)s
), parts AS (
    UPDATE memory_contributions c SET trust = g.trust, proof = g.proof, lesson = g.lesson, probability = g.probability,
        cure = g.cure
    FROM given g, memory_sources s
    WHERE c.memory_id = g.memory_id AND c.source_id = s.id AND s.segment_id = g.given_by
        AND c.account_id = %(account_id)s
)
UPDATE memories m SET trust = g.trust, proof = g.proof, lesson = g.lesson, probability = g.probability, cure = g.cure
FROM given g
WHERE m.id = g.memory_id AND m.account_id = %(account_id)s
    AND NOT EXISTS (SELECT 1 FROM memory_contributions c LEFT JOIN memory_sources s ON s.id = c.source_id
        WHERE c.memory_id = m.id AND s.segment_id IS DISTINCT FROM g.given_by)
    AND NOT EXISTS (SELECT 1 FROM memory_versions v WHERE v.memory_id = m.id);

-- name: keep_version
-- The words and tags of a memory before somebody changes them.
INSERT INTO memory_versions (memory_id, version, account_id, content, context, resolution, tags, trust, proof, cure,
    changed_by, changed_at)
SELECT id, version, account_id, content, context, resolution, tags, trust, proof, cure, %(changed_by)s, %(now)s FROM memories
WHERE id = %(memory_id)s AND account_id = %(account_id)s;

-- name: versions
-- What a memory said before, newest first.
SELECT version, content, context, resolution, tags, trust, proof, cure, changed_by, changed_at FROM memory_versions
WHERE memory_id = %(memory_id)s AND account_id = %(account_id)s ORDER BY version DESC;
