-- name: give
-- What somebody says of a memory's words, as they stand now; it replaces what they said of them before, but that words
-- hold is more than that they are useful.
INSERT INTO memory_verdicts (memory_id, account_id, verdict, body_sha256, words_sha256, given_by, given_at)
SELECT id, account_id, %(verdict)s, body_sha256, %(words_sha256)s, %(given_by)s, %(now)s FROM memories
WHERE id = %(memory_id)s AND account_id = %(account_id)s
ON CONFLICT (memory_id, body_sha256, given_by) DO UPDATE SET
    verdict = CASE WHEN (memory_verdicts.verdict, excluded.verdict) = ('confirmed', 'useful') THEN 'confirmed'
        ELSE excluded.verdict END,
    words_sha256 = excluded.words_sha256, given_at = excluded.given_at;

-- name: withdraw_junk
-- Somebody wants memories back whose words were judged junk.
DELETE FROM memory_verdicts v USING memories m
WHERE m.id = v.memory_id AND v.memory_id = ANY(%(ids)s) AND v.account_id = %(account_id)s AND v.verdict = 'junk'
    AND v.body_sha256 = m.body_sha256;

-- name: archived_as_junk
-- A memory that was archived for another reason is junk now.
UPDATE memories SET archive_reason = 'judged_junk'
WHERE id = %(memory_id)s AND account_id = %(account_id)s AND status = 'archived';

-- name: of_memory
-- What was said of a memory, newest first; `holds`: of the words that stand now.
SELECT v.verdict, v.given_by, v.given_at, v.body_sha256 = m.body_sha256 AS holds
FROM memory_verdicts v JOIN memories m ON m.id = v.memory_id
WHERE v.memory_id = %(memory_id)s AND v.account_id = %(account_id)s ORDER BY v.given_at DESC, v.given_by;

-- name: junk_words
-- Words whose last verdict is junk, each with the memory that had them.
SELECT DISTINCT ON (v.words_sha256) v.words_sha256, v.memory_id FROM memory_verdicts v
WHERE v.account_id = %(account_id)s AND v.verdict = 'junk' AND v.words_sha256 = ANY(%(words)s)
    AND NOT EXISTS (
        SELECT 1 FROM memory_verdicts later WHERE later.memory_id = v.memory_id
            AND later.body_sha256 = v.body_sha256 AND later.verdict <> 'junk' AND later.given_at > v.given_at)
ORDER BY v.words_sha256, v.given_at, v.memory_id;

-- name: unjudged
-- Memories in use whose words nobody has judged: those nearest to the ranker's bound first, then the newest.
SELECT m.id FROM memories m
WHERE m.account_id = %(account_id)s AND m.status <> 'archived' AND NOT EXISTS (
    SELECT 1 FROM memory_verdicts v WHERE v.memory_id = m.id AND v.body_sha256 = m.body_sha256)
ORDER BY abs(m.probability - %(bound)s) NULLS LAST, m.created_at DESC, m.id LIMIT %(limit)s;

-- name: to_learn_from
-- The last verdict on the words of each memory that the ranker has seen, with what it may depend on.
SELECT m.id, m.probability, m.memory_type, m.trust, m.proof, m.lesson, m.content, said.verdict, seen.project,
    seen.session_id
FROM (
    SELECT DISTINCT ON (v.memory_id) v.memory_id, v.verdict FROM memory_verdicts v
    JOIN memories own ON own.id = v.memory_id AND own.body_sha256 = v.body_sha256
    WHERE v.account_id = %(account_id)s ORDER BY v.memory_id, v.given_at DESC, v.given_by
) said
JOIN memories m ON m.id = said.memory_id
CROSS JOIN LATERAL (
    SELECT CASE WHEN count(DISTINCT coalesce(e.project, s.project)) = 1 THEN min(coalesce(e.project, s.project)) END
            AS project, (array_agg(s.session_id ORDER BY s.created_at, s.id))[1] AS session_id
    FROM memory_sources s LEFT JOIN sessions e ON e.id = s.session_id WHERE s.memory_id = m.id
) seen
WHERE m.probability IS NOT NULL
ORDER BY m.id;

-- name: counts
-- How many verdicts of each kind there are on words that stand.
SELECT v.verdict, count(*) AS count FROM memory_verdicts v
JOIN memories m ON m.id = v.memory_id AND m.body_sha256 = v.body_sha256
WHERE v.account_id = %(account_id)s GROUP BY 1 ORDER BY 1;

-- name: newer
-- Whether anything was said since the last fit.
SELECT EXISTS (SELECT 1 FROM memory_verdicts v WHERE v.account_id = %(account_id)s AND v.given_at > coalesce(
    (SELECT t.fitted_at FROM taste t WHERE t.account_id = %(account_id)s), '-infinity')) AS any;

-- name: keep_taste
-- What the verdicts taught the last time.
INSERT INTO taste (account_id, coefficients, reason, verdicts, gain, fitted_at)
VALUES (%(account_id)s, %(coefficients)s, %(reason)s, %(verdicts)s, %(gain)s, %(now)s)
ON CONFLICT (account_id) DO UPDATE SET coefficients = excluded.coefficients, reason = excluded.reason,
    verdicts = excluded.verdicts, gain = excluded.gain, fitted_at = excluded.fitted_at;

-- name: taste
-- The present one.
SELECT coefficients, reason, verdicts, gain, fitted_at FROM taste WHERE account_id = %(account_id)s;
