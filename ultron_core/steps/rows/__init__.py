"""The one writer of memories: rows, both lanes, origins and status, in the caller's transaction."""
