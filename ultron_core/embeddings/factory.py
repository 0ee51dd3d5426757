"""From settings to the embedder."""

from __future__ import annotations

from collections.abc import Callable

from ultron_core.embeddings.local import LocalEmbedder, local_embedder
from ultron_core.embeddings.protocol import Embedder
from ultron_core.errors import SettingsError
from ultron_core.settings import Settings

__all__ = ["embedder_name", "embedder_of", "make_embedder"]


def make_embedder(settings: Settings, *, redact: Callable[[str], str] | None = None) -> Embedder:
    """The offline embedder, or a remote one when the backend is `openai`. Raises SettingsError without a key."""
    if settings.embedding.backend == "local" or settings.llm.offline:
        return local_embedder()
    api_key = settings.embedding.api_key or settings.llm.api_key
    if not api_key:
        raise SettingsError(
            "ULTRON_EMBEDDING_BACKEND=openai needs a key: set ULTRON_EMBEDDING_API_KEY or ULTRON_LLM_API_KEY."
        )
    # the client library takes as long to import as everything else together
    from ultron_core.embeddings.remote import RemoteEmbedder

    url = settings.embedding.base_url or settings.llm.url
    return RemoteEmbedder(
        settings.embedding,
        api_key=api_key,
        base_url=url,
        timeout_seconds=min(settings.llm.seconds, 60),
        redact=redact if settings.llm.redact_input else None,
    )


def embedder_name(settings: Settings) -> str:
    """The model id of the embedder that the settings name, without making it."""
    if settings.embedding.backend == "local" or settings.llm.offline:
        return LocalEmbedder.model_id
    return f"{settings.embedding.model}@{settings.embedding.dimension}"


def embedder_of(
    model_id: str, settings: Settings, *, redact: Callable[[str], str] | None = None
) -> Embedder | None:
    """The embedder that makes vectors of this model id, with the endpoint and key of the settings.

    None when it is neither the offline one nor a `name@dimension` that there is a key for.
    """
    if model_id == LocalEmbedder.model_id:
        return local_embedder()
    name, at, dimension = model_id.rpartition("@")
    if not (at and name and dimension.isdecimal()) or settings.llm.offline:
        return None
    if not (settings.embedding.api_key or settings.llm.api_key):
        return None
    remote = {"backend": "openai", "model": name, "dimension": int(dimension)}
    changed = settings.embedding.model_copy(update=remote)
    return make_embedder(settings.model_copy(update={"embedding": changed}), redact=redact)
