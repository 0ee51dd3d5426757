"""Rows of other shapes made of finished rows: pairs of a better and a worse run, runs with a verdict."""
