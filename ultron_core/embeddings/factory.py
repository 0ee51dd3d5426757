"""From settings to the embedder."""

from __future__ import annotations

from collections.abc import Callable

from ultron_core.embeddings.local import local_embedder
from ultron_core.embeddings.protocol import Embedder
from ultron_core.embeddings.remote import RemoteEmbedder
from ultron_core.errors import SettingsError
from ultron_core.settings import Settings

__all__ = ["make_embedder"]


def make_embedder(settings: Settings, *, redact: Callable[[str], str] | None = None) -> Embedder:
    """The offline embedder, or a remote one when the backend is `openai`. Raises SettingsError without a key."""
    if settings.embedding.backend == "local" or settings.llm.offline:
        return local_embedder()
    api_key = settings.embedding.api_key or settings.llm.api_key
    if not api_key:
        raise SettingsError(
            "ULTRON_EMBEDDING_BACKEND=openai needs a key: set ULTRON_EMBEDDING_API_KEY or ULTRON_LLM_API_KEY."
        )
    url = settings.embedding.base_url or settings.llm.url
    return RemoteEmbedder(
        settings.embedding,
        api_key=api_key,
        base_url=url,
        timeout_seconds=min(settings.llm.timeout_seconds, 60),
        redact=redact if settings.llm.redact_input else None,
    )
