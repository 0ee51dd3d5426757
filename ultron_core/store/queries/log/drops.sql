-- name: clear_session
-- What a stage refused of a session, before it is read again.
DELETE FROM drops WHERE session_id = %(session_id)s AND stage = %(stage)s;

-- name: clear_segment
-- What a stage refused of a segment, before it is looked through again.
DELETE FROM drops WHERE segment_id = %(segment_id)s AND stage = %(stage)s;

-- name: clear_text
-- What a stage refused of a plain text, before it is read again.
DELETE FROM drops WHERE raw_upload_id = %(raw_upload_id)s AND stage = %(stage)s;

-- name: insert
-- Something refused.
INSERT INTO drops (account_id, agent_id, stage, reason, detail, payload, session_id, segment_id, raw_upload_id,
    start_line, end_line, created_at)
VALUES (%(account_id)s, %(agent_id)s, %(stage)s, %(reason)s, %(detail)s, %(payload)s, %(session_id)s,
    %(segment_id)s, %(raw_upload_id)s, %(start_line)s, %(end_line)s, %(now)s);

-- name: listing
-- What was refused, newest first.
SELECT d.*, s.partition_key, s.session_file FROM drops d LEFT JOIN sessions s ON s.id = d.session_id
WHERE d.account_id = %(account_id)s AND (%(stage)s::text IS NULL OR d.stage = %(stage)s)
    AND (%(reason)s::text IS NULL OR d.reason = %(reason)s)
ORDER BY d.id DESC LIMIT %(limit)s;

-- name: counts
-- How much was refused, by stage and reason.
SELECT d.stage, d.reason, count(*) AS count FROM drops d LEFT JOIN sessions s ON s.id = d.session_id
WHERE d.account_id = %(account_id)s AND (%(keys)s::text[] IS NULL OR s.partition_key = ANY(%(keys)s))
GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2;
