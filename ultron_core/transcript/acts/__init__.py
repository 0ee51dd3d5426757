"""What a person's turn does: a small trained classifier. `reader` reads turns, `features` and `words` describe them."""
