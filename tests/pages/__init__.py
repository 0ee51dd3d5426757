"""README and tutorial, run as they are written: `make test-docs`."""
