"""Lessons from what people say: corrections, rules, facts, decisions, causes, recaps of earlier work."""
