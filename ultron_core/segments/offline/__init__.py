"""The offline segmenter: user turns as features, a learned combiner."""
