-- How probable the ranker found it that the words are worth keeping, before anybody's taste; NULL: it was not asked.
ALTER TABLE memories ADD COLUMN probability real;
