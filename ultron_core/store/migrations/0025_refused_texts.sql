-- A text that the embedder refuses is counted on its own row: by which model and of which words (`body_sha256`), and how
-- often. It is not asked for again for ever, and holds up no other.
ALTER TABLE memories ADD COLUMN vector_refused text, ADD COLUMN vector_refusals integer NOT NULL DEFAULT 0;
