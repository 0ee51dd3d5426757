"""Stored segments become datasets: which are candidates, what is known of their ends, the published folder."""
