"""One upload after another or many at once -> rows of memories."""
