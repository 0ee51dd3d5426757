"""Bytes -> physical lines -> JSON records, with the fate of every line."""
