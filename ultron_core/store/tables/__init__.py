"""One repository a table family: named queries in, records out."""
