-- Made-up memories of one account, `size` of them, with all that a list is filtered by; the same rows at each run.
INSERT INTO sessions (id, account_id, agent_id, session_file, partition_key, content_sha256, bytes, format, lines,
    message_count, parser_version, project, changed_at, created_at, updated_at)
SELECT md5(%(account_id)s || 'session' || n)::uuid, %(account_id)s, 'agent-' || n %% 8, n || '.jsonl',
    'agent-' || n %% 8 || '|' || n || '.jsonl', md5(n::text), 1000, 'claude_code', '{}', 10, '1',
    CASE WHEN n = 1 THEN 'project-rare' WHEN n %% 3 = 0 THEN 'project-0' ELSE 'project-' || n %% 40 END,
    timestamptz '2026-01-01' + n * interval '1 hour', now(), now()
FROM generate_series(1, 400) n;

INSERT INTO memories (id, account_id, agent_id, memory_type, content, context, resolution, tags, summary_l0,
    overview_l1, status, extractor, redaction_version, body_sha256, trust, proof, created_at, updated_at)
SELECT md5(%(account_id)s || n)::uuid, %(account_id)s,
    CASE WHEN n %% 20011 = 7 THEN 'agent-rare' ELSE 'agent-' || n %% 8 END,
    CASE WHEN n %% 10007 = 3 THEN 'life' WHEN n %% 2 = 0 THEN 'error' ELSE 'pattern' END,
    repeat('Build ' || n || ' failed because the wheel of package ' || n %% 977 || ' is missing. ', 4),
    'In the image of ' || n, 'Installing wheel first helped.',
    CASE WHEN n %% 9973 = 5 THEN ARRAY['rare', 'common'] WHEN n %% 2 = 0 THEN ARRAY['common']
        ELSE ARRAY['t' || n %% 500] END,
    'Build ' || n || ' failed: wheel is missing', 'Build ' || n || ' failed because the wheel is missing',
    CASE WHEN n %% 10 = 0 THEN 'archived' ELSE 'active' END, 'rules', '1', md5(n::text),
    'agent', CASE WHEN n %% 5003 = 1 THEN 'person' ELSE 'claimed' END,
    timestamptz '2026-01-01 00:00 UTC' + n * interval '150 seconds', now()
FROM generate_series(1, %(size)s) n;

INSERT INTO memory_usage (memory_id, account_id, tier, hit_count, last_hit_at)
SELECT md5(%(account_id)s || n)::uuid, %(account_id)s, CASE WHEN n %% 5 = 1 THEN 'HOT' ELSE 'WARM' END,
    1 + n * 7919::bigint %% 211, timestamptz '2026-03-01' + n * 7919::bigint %% 1000003 * interval '15 seconds'
FROM generate_series(1, %(size)s) n;

INSERT INTO memory_sources (id, account_id, agent_id, memory_id, kind, session_id, start_line, end_line, quote, trust,
    project, created_at)
SELECT md5(%(account_id)s || 'source' || n)::uuid, %(account_id)s, 'agent-' || n %% 8,
    md5(%(account_id)s || n)::uuid, 'segment',
    md5(%(account_id)s || 'session' || CASE WHEN n %% 8003 = 11 THEN 1 ELSE 2 + n %% 399 END)::uuid, 1, 9, 'it failed',
    'agent', NULL, now()
FROM generate_series(1, %(size)s) n;

INSERT INTO memory_contributions (id, account_id, agent_id, memory_id, source_id, content, merged, trust, proof,
    contributed_at)
SELECT md5(%(account_id)s || 'part' || n)::uuid, %(account_id)s,
    CASE WHEN n %% 20011 = 7 THEN 'agent-rare' ELSE 'agent-' || n %% 8 END, md5(%(account_id)s || n)::uuid,
    md5(%(account_id)s || 'source' || n)::uuid, 'Build ' || n || ' failed', false, 'agent', 'claimed', now()
FROM generate_series(1, %(size)s) n;

INSERT INTO clusters (cluster_id, account_id, model_id, size, centroid, created_at, updated_at)
SELECT md5(%(account_id)s || 'cluster' || n)::uuid, %(account_id)s, 'fake', 50, '[1,0]', now(), now()
FROM generate_series(0, 1999) n;

INSERT INTO cluster_members (memory_id, account_id, cluster_id, joined_at)
SELECT md5(%(account_id)s || n)::uuid, %(account_id)s, md5(%(account_id)s || 'cluster' || n %% 2000)::uuid, now()
FROM generate_series(1, %(size)s) n WHERE n %% 10 <> 0;

INSERT INTO memory_verdicts (memory_id, account_id, verdict, body_sha256, given_by, given_at)
SELECT md5(%(account_id)s || n)::uuid, %(account_id)s, 'confirmed', md5(n::text), '', now()
FROM generate_series(1, %(size)s, 1009) n
