"""Errors and faults that are told in prose, by a person or the agent, and how far the log bears them out."""
