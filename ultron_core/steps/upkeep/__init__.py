"""What runs in the background: tiers, late vectors, re-embedding, weights, redaction again."""
