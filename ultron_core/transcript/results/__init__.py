"""What a tool's result came to: which line tells it, what checks say of themselves, and the class it belongs to."""
