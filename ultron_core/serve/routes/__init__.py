"""The JSON routes, by what they are about."""
