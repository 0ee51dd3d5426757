"""Passages of a log that may be worth keeping, found by where they stand and quoted as they stand."""
