"""Names of files as people and agents write them."""

from __future__ import annotations

import re

__all__ = ["CODE_FILE"]

#: a file of a project, not Node.js, React.js or process.env, nor a short ending behind a letter or two, as in p.h.d,
#: e.g. `main.ts`, `docs/setup.md`, `修改main.py文件`, `util.go`, `.env`, `Dockerfile`
CODE_FILE = re.compile(
    r"[A-Za-z0-9_\])}](?<!\bnode)(?<!\bvue)(?<!\bnext)(?<!\bnuxt)(?<!\bthree)(?<!\breact)(?<!\bexpress)(?<!\bprocess)"
    r"\.(?:pyi?|ipynb|tsx?|jsx?|mjs|cjs|vue|svelte|java|kt|swift|rb|php|cpp|cc|hpp|lua|dart|exs|html?|css|scss|less|"
    r"jsonl?|ya?ml|toml|ini|cfg|conf|env|lock|mdx?|rst|sql|sh|bat|ps1|gradle|xml|csv|log|db|properties|proto|tf|tex|"
    r"uproject|unity|prefab)(?![A-Za-z0-9_(@])"
    r"|[A-Za-z0-9_-]{3}\.(?:go|rs|cs|ex|[ch])(?![A-Za-z0-9_(@])|(?<![\w.])\.env\b|\b(?:Dockerfile|Makefile)\b",
    re.IGNORECASE,
)
