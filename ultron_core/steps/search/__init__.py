"""Questions to memories and to the verbatim log."""
