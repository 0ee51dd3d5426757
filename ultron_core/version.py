"""The version of the package, without importing the rest of it."""

__all__ = ["__version__"]

__version__ = "0.1.0"
