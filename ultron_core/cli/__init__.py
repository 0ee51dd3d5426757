"""The command line: `ultron --help`."""
