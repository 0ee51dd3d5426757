"""Errors told in prose."""
