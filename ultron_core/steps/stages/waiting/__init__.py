"""Rows that wait for a stage: taken under a lease, worked on in one loop, and what a failure means for each."""
