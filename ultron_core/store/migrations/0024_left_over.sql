-- What a model could not word waits behind what it has not seen: else the oldest refused rows fill every batch.
ALTER TABLE memories ADD COLUMN model_tried timestamptz;
ALTER TABLE memory_contributions ADD COLUMN model_tried timestamptz;
