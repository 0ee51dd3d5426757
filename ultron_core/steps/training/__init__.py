"""Training on exported datasets: what is new, the run, and the registry of adapters."""
