"""A dataset in, a LoRA adapter and what is known of it out. Nothing here needs torch before a model is loaded."""
