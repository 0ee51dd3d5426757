"""Personal names, English and Chinese."""
