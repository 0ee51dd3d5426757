"""How many tokens a row has: by a built-in table, or by a tokenizer and chat template from files."""
