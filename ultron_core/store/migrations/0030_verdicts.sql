-- A verdict says that words hold (`confirmed`), or whether they are worth keeping: each person has one on the same words.
ALTER TABLE memory_verdicts
    DROP CONSTRAINT memory_verdicts_verdict_check,
    ADD CONSTRAINT memory_verdicts_verdict_check CHECK (verdict IN ('confirmed', 'useful', 'junk')),
    DROP CONSTRAINT memory_verdicts_pkey,
    ADD PRIMARY KEY (memory_id, body_sha256, given_by),
    ADD COLUMN words_sha256 text;            -- whatever their case, spaces and type; NULL: of before
CREATE INDEX memory_verdicts_junk ON memory_verdicts (account_id, words_sha256) WHERE verdict = 'junk';

-- What the verdicts teach: how far this account's taste lies from the ranker's.
CREATE TABLE taste (
    account_id   text PRIMARY KEY,
    coefficients jsonb,                      -- NULL: the ranker is left as it is, for this `reason`
    reason       text NOT NULL,
    verdicts     integer NOT NULL,
    gain         real,                       -- of log loss on sessions left out; NULL: it was not measured
    fitted_at    timestamptz NOT NULL
);
