"""Sessions -> segments -> labels -> memories: what waits is taken up here."""
