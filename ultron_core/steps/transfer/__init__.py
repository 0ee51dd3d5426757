"""Memories out of the store as lines and in again, and the whole store as one file."""
