-- Once, by the superuser that the image makes: Dagster's own database, and the extension that Ultron's schema needs.
CREATE DATABASE dagster;
CREATE EXTENSION IF NOT EXISTS vector;
