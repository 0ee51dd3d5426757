"""Choosing a model: what was found, a check of it, and the settings that name it."""
