"""Stored clusters: joined at upload, reshaped and named periodically."""
