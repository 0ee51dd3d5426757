"""Token counts need no network, and no turn-taking of the callers."""

import os
from concurrent.futures import ThreadPoolExecutor

from ultron_core.llm import tokens


def test_many_threads_may_load_the_tables_at_once(monkeypatch):
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    for cached in (tokens._encoding, tokens.token_counter):
        cached.cache_clear()
    with ThreadPoolExecutor(16) as pool:
        counts = list(pool.map(lambda n: tokens.count_tokens(f"one two three {n}"), range(64)))
    assert min(counts) >= 4
    assert "TIKTOKEN_CACHE_DIR" not in os.environ
