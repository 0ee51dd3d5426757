-- What an export redacted and counted of a segment: done again only when its texts or the rules are others.
CREATE TABLE sft_cleaned (
    segment_id uuid PRIMARY KEY REFERENCES task_segments ON DELETE CASCADE,
    account_id text NOT NULL,
    digest     bytea NOT NULL,     -- of the texts before, of the redaction rules, and of the tokenizer
    cleaned    bytea NOT NULL      -- JSON: messages, tools, topic, whether a secret was left, token counts
);
