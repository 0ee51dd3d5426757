"""What an answer of a model means: JSON found in it, wrappers taken off, fields repaired, asked again once."""
