"""What tests of the pages share: a store with something on every page, and words that try to be more than words."""
