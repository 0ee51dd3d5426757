"""Models at hand: servers of this machine with what they offer, and vendors whose key is in the environment."""
