"""Secrets: shapes of vendors' keys, names that say a value is one, headers, commands and key files."""
