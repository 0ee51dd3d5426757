"""How much a passage is worth to a later reader, and what kind of memory it makes."""
