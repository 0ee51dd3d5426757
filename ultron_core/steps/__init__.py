"""The steps: read rows, call a pure stage, write rows in one transaction."""
