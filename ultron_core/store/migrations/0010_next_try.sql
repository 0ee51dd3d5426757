-- When unattended work tries a row again after a failed model call. A person's command tries it at once.
ALTER TABLE sessions ADD COLUMN next_try timestamptz;
ALTER TABLE task_segments ADD COLUMN next_try timestamptz;
ALTER TABLE raw_uploads ADD COLUMN next_try timestamptz;
-- Until now outages counted as attempts as well: nobody can tell them from bad answers, so every row starts again.
UPDATE sessions SET attempts = 0 WHERE attempts > 0;
UPDATE task_segments SET label_attempts = 0, extract_attempts = 0 WHERE label_attempts > 0 OR extract_attempts > 0;
UPDATE raw_uploads SET attempts = 0 WHERE attempts > 0;
