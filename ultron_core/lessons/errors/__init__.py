"""Errors and what became of them: solved, tried again in vain, abandoned, or reported by a person."""
