"""Boundaries by a language model: windows, prompt, checked answers."""
