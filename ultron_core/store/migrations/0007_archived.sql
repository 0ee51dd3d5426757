-- The rebalance leaves out what is archived: found here, without reading bodies or a list of all that is active.
CREATE INDEX memories_archived ON memories (account_id, id) WHERE status = 'archived';
