"""What the agent found out or decided about a project, in its own words."""
