"""The version of the package, importable without the rest of it."""

__all__ = ["__version__"]

__version__ = "0.1.0"
