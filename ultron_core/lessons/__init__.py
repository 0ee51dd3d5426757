"""The offline extractor: one module a kind of lesson, with the sentences that lessons are told in."""
