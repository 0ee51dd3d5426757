"""Names of files as people and agents write them."""

from __future__ import annotations

import re

__all__ = ["CODE_FILE"]

#: a file of a project, e.g. `main.ts`, `docs/setup.md`, `Dockerfile`
CODE_FILE = re.compile(
    r"[\w\])-]\.(?:py|pyi|ipynb|tsx?|jsx?|mjs|cjs|vue|svelte|java|kt|swift|go|rs|rb|php|cs|cpp|cc|hpp|[ch]|lua|dart|ex|exs|"
    r"html?|css|scss|less|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|md|mdx|rst|sql|sh|bat|ps1|gradle|xml|csv|log|db|"
    r"properties|proto|tf|tex|uproject|unity|prefab)\b(?!\()|\b(?:Dockerfile|Makefile)\b"
)
