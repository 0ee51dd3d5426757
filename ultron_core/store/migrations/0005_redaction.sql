-- Where bytes were read from is private, like the bytes: file names can hold names and keys. The ledger keeps a
-- redacted path for people.
ALTER TABLE raw_uploads ADD COLUMN path text;
UPDATE raw_uploads u SET path = f.path FROM source_files f
WHERE f.account_id = u.account_id AND f.agent_id = u.agent_id AND f.session_file = u.session_file;

-- How far stored rows of a table were redacted again with a version of the rules.
CREATE TABLE redaction_replays (
    account_id   text NOT NULL,
    place        text NOT NULL,                -- a table
    version      text NOT NULL,                -- of the redactor
    reached      text,                         -- the last key that is done; NULL: none yet
    rows_read    bigint NOT NULL DEFAULT 0,
    rows_changed bigint NOT NULL DEFAULT 0,
    finished     boolean NOT NULL DEFAULT false,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (account_id, place, version)
);
