"""Rows of memories and their words, written in the caller's transaction."""
