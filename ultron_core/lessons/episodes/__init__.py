"""Errors and what became of them: solved, left open, or reported by a person."""
