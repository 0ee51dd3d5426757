"""What was erased and is not read again, and how words are taken out of a log."""
