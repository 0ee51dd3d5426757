-- How far a memory's cure is borne out is a field, and no word before its resolution: verified (a later result or a person
-- shows that it helped), claimed (nothing does), none (no cure, or nothing is known of it).
ALTER TABLE memories ADD COLUMN cure text NOT NULL DEFAULT 'none' CHECK (cure IN ('verified', 'claimed', 'none'));
ALTER TABLE memory_contributions
    ADD COLUMN cure text NOT NULL DEFAULT 'none' CHECK (cure IN ('verified', 'claimed', 'none'));
-- NULL: not known of words that were replaced before this was kept
ALTER TABLE memory_versions ADD COLUMN cure text;

-- Until now the word was written before each resolution of a model's note that nothing bore out, and a tag beside it. A merge
-- put such resolutions below one another. What a caller handed in keeps its words.
CREATE TEMP TABLE doubted ON COMMIT DROP AS
    SELECT DISTINCT memory_id FROM memory_contributions
    WHERE trust <> 'upload' AND 'unverified' = ANY (tags) AND resolution ~ '^(Unverified: |未经验证：)';
-- Of a model's other notes, and of the rules' cures, the cure was shown to help.
UPDATE memory_contributions c SET cure = 'verified' FROM memories m
WHERE m.id = c.memory_id AND c.trust <> 'upload' AND c.resolution <> '' AND NOT 'unverified' = ANY (c.tags)
    AND (c.lesson = 'cure' AND c.proof = 'check'
        OR c.lesson = '' AND m.extractor LIKE 'model:%' AND m.memory_type IN ('error', 'security', 'pattern'));
UPDATE memory_contributions
SET cure = 'claimed', resolution = regexp_replace(resolution, '^(Unverified: |未经验证：)', '', 'gn'),
    tags = array_remove(tags, 'unverified')
WHERE trust <> 'upload' AND 'unverified' = ANY (tags) AND resolution ~ '^(Unverified: |未经验证：)';
UPDATE memory_versions
SET cure = 'claimed', resolution = regexp_replace(resolution, '^(Unverified: |未经验证：)', '', 'gn'),
    tags = array_remove(tags, 'unverified')
WHERE memory_id IN (SELECT memory_id FROM doubted) AND resolution ~ '(^|\n)(Unverified: |未经验证：)';
UPDATE merge_decisions SET body_before = jsonb_set(body_before, '{resolution}',
    to_jsonb(regexp_replace(body_before ->> 'resolution', '^(Unverified: |未经验证：)', '', 'gn')))
WHERE memory_id IN (SELECT memory_id FROM doubted) AND body_before ->> 'resolution' ~ '(^|\n)(Unverified: |未经验证：)';

-- The words of the memories themselves: their vectors are made again, verdicts go with the words that they were given on.
CREATE TEMP TABLE told ON COMMIT DROP AS
    SELECT m.id, m.body_sha256 AS before, regexp_replace(m.resolution, '^(Unverified: |未经验证：)', '', 'gn') AS resolution
    FROM memories m JOIN doubted d ON d.memory_id = m.id WHERE m.resolution ~ '(^|\n)(Unverified: |未经验证：)';
UPDATE memories m SET cure = 'claimed', resolution = t.resolution, tags = array_remove(m.tags, 'unverified'),
    summary_l0 = replace(replace(m.summary_l0, 'Unverified: ', ''), '未经验证：', ''),
    overview_l1 = replace(replace(m.overview_l1, 'Unverified: ', ''), '未经验证：', ''),
    body_sha256 = encode(sha256(convert_to(
        concat_ws(E'\x1f', m.memory_type, m.content, m.context, t.resolution), 'UTF8')), 'hex')
FROM told t WHERE m.id = t.id;
UPDATE memory_verdicts v SET body_sha256 = m.body_sha256,
    words_sha256 = CASE WHEN v.words_sha256 IS NOT NULL THEN encode(sha256(convert_to(trim(regexp_replace(
        lower(normalize(concat_ws(E'\n', nullif(m.content, ''), nullif(m.context, ''), nullif(m.resolution, '')), NFKC)),
        '\s+', ' ', 'g')), 'UTF8')), 'hex') END
FROM told t JOIN memories m ON m.id = t.id
WHERE v.memory_id = t.id AND v.body_sha256 = t.before AND NOT EXISTS (SELECT FROM memory_verdicts other
    WHERE other.memory_id = t.id AND other.body_sha256 = m.body_sha256 AND other.given_by = v.given_by);
-- Of words that contributions gave as they stand the best cure counts; a tag without its word says nothing any more.
UPDATE memories m SET cure = best.cure FROM (
    SELECT own.id, (array_agg(c.cure ORDER BY array_position(ARRAY['verified', 'claimed', 'none'], c.cure)))[1] AS cure
    FROM memories own JOIN memory_contributions c ON c.memory_id = own.id
        AND (c.content, c.context, c.resolution) = (own.content, own.context, own.resolution)
    GROUP BY 1) best
WHERE m.id = best.id AND m.cure <> best.cure;
UPDATE memories SET tags = array_remove(tags, 'unverified')
WHERE 'unverified' = ANY (tags) AND id IN (SELECT memory_id FROM doubted);
