-- Vectors of another model, kept beside those in use on purpose: they are not cleaned up.
ALTER TABLE embedding_models ADD COLUMN keep boolean NOT NULL DEFAULT false;
