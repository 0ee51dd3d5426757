"""Lessons from objections: what is right instead, what a person stopped, and what they report to fail."""
