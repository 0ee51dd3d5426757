"""Lessons of talks between several agents: assumptions, unchecked conclusions, loops."""
