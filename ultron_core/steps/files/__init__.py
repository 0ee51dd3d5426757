"""Files in the drop folder or given by hand -> sessions and messages."""
