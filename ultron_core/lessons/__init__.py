"""What can be learned from a segment, found once: labels score it, memories store it."""
