"""One repository per table family: named queries in, records out."""
