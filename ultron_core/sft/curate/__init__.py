"""Which rows stay: near-duplicates, evaluation texts, what the same task is, caps and splits."""
