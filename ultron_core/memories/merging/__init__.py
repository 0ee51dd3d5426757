"""When two memories are one: facts, numbers, polarity, divergence, and bodies put together."""
