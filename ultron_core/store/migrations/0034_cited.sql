-- Where an imported memory comes from whose log is not in this store, as words: file, partition, thread and task.
ALTER TABLE memory_sources ADD COLUMN cited jsonb;
