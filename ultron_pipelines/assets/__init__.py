"""The assets in the order of the data's path, one module per stage."""
