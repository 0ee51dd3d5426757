"""What starts a run: sensors, schedules, automation, the queue of files."""
