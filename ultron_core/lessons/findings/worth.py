"""How likely a statement of an agent is worth keeping: a fitted logistic regression on its shape.

The coefficients in worth.json are made by benchmarks/training/statements.py from benchmarks/gold/statements.jsonl.
"""

from __future__ import annotations

import math
from functools import lru_cache

from ultron_core.lessons.findings.shape import Setting, feature_names, features
from ultron_core.lessons.weights import NamedWeights

__all__ = ["worth"]


@lru_cache(maxsize=1)
def _coefficients() -> NamedWeights:
    script = "benchmarks/training/statements.py"
    return NamedWeights.load("ultron_core.lessons.findings", "worth.json", feature_names(), script)


def worth(text: str, setting: Setting) -> float:
    """0 to 1; a statement worth keeping and one that is not count alike, so it ranks and is no probability."""
    odds = _coefficients().odds(features(text, setting))
    return 1 / (1 + math.exp(-odds))
