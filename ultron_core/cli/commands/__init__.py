"""The commands, one module a kind; each lists its own in `COMMANDS`."""
