-- Most metrics of a label have no evidence or no words: empty ones took an eighth of it. Labels are written without them
-- now; those that are there lose theirs, so that the same judgement is the same JSON whoever wrote it.
UPDATE task_segments SET quality_metrics = jsonb_set(quality_metrics, '{metrics}', (
    SELECT jsonb_object_agg(name, CASE jsonb_typeof(metric) WHEN 'object' THEN metric - array_remove(ARRAY[
        CASE WHEN metric -> 'lines' = '[]' THEN 'lines' END,
        CASE WHEN metric ->> 'note' = '' THEN 'note' END], NULL) ELSE metric END)
    FROM jsonb_each(quality_metrics -> 'metrics') AS each (name, metric)))
WHERE jsonb_typeof(quality_metrics -> 'metrics') = 'object'
    AND (quality_metrics @? '$.metrics.*.lines ? (@.size() == 0)' OR quality_metrics @? '$.metrics.*.note ? (@ == "")');
