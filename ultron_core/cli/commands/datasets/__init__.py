"""Commands on exported datasets."""
