-- Segments and windows of a session are worked on at the same time: a lease holds a row for one stage.
ALTER TABLE leases DROP CONSTRAINT leases_pkey, ADD PRIMARY KEY (row_id, stage);
