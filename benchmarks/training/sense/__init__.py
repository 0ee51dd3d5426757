"""The network of transcript/sense: how it is fitted."""
