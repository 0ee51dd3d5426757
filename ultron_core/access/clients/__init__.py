"""Where coding agents keep their hooks and servers, and how Ultron is entered there and taken out again. Pure.

jsonc     edits of JSON files that keep foreign keys, comments and layout
toml      the same for TOML files: one marked block
plan      which files of which client change, and to what
"""
