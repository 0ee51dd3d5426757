"""A small transformer that reads what people and agents write beside each other: fitted on labelled logs."""
