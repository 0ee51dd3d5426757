"""An embedder behind an OpenAI-compatible /embeddings endpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import numpy as np
import openai

from ultron_core.embeddings.protocol import Thresholds, Vectors
from ultron_core.errors import EmbeddingError, TextRefusedError
from ultron_core.settings import EmbeddingSettings

__all__ = ["RemoteEmbedder"]

#: characters: about 2,000 tokens of English; OpenAI's endpoints refuse more than 8,191 tokens
_MAX_CHARS = 8000
#: answers that a single text may bring about: not allowed, too large, not processable, and the 500 of servers that are
#: given more tokens than they take
_REFUSALS = (400, 413, 422, 500)


class RemoteEmbedder:
    """Batches of texts to unit vectors; the client retries twice, then EmbeddingError or TextRefusedError."""

    def __init__(
        self,
        settings: EmbeddingSettings,
        *,
        api_key: str,
        base_url: str,
        timeout_seconds: float = 60,
        redact: Callable[[str], str] | None = None,
        thresholds: Thresholds | None = None,
    ) -> None:
        """`thresholds` default to those of text-embedding-v4."""
        self._settings, self._redact = settings, redact
        parts = urlsplit(base_url)  # shown without user, password and query, any of which may be a secret
        self._place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        self._client = openai.OpenAI(
            api_key=api_key, base_url=base_url, timeout=timeout_seconds, max_retries=2
        )
        self._thresholds = thresholds or Thresholds(merge=0.85, soft=0.75, cluster=0.75)

    @property
    def model_id(self) -> str:
        return f"{self._settings.model}@{self._settings.dimension}"

    @property
    def dimension(self) -> int:
        return self._settings.dimension

    @property
    def thresholds(self) -> Thresholds:
        return self._thresholds

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text, of length 1. Raises EmbeddingError when the endpoint fails or answers in another shape, as
        TextRefusedError where a text may be the reason."""
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        size = self._settings.batch_size
        for begin in range(0, len(texts), size):
            batch = [self._clean(text) for text in texts[begin : begin + size]]
            rows[begin : begin + len(batch)] = self._request(batch)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Vectors = (rows / np.maximum(lengths, 1e-12)).astype(np.float32)
        return unit

    def _clean(self, text: str) -> str:
        # redacted before truncation: half a secret is not recognised
        cut = (self._redact(text) if self._redact else text)[:_MAX_CHARS] or " "
        # half a surrogate pair cannot be sent as UTF-8
        return cut.encode("utf-8", "replace").decode("utf-8")

    def _request(self, batch: Sequence[str]) -> Vectors:
        try:
            answer = self._client.embeddings.create(
                model=self._settings.model,
                input=list(batch),
                dimensions=self.dimension,
                encoding_format="float",
            )
        except openai.APIError as error:
            status = error.status_code if isinstance(error, openai.APIStatusError) else None
            kind = TextRefusedError if status in _REFUSALS else EmbeddingError
            raise self._no_vectors(f" (status {status})" if status else "", kind) from None
        except ValueError:  # not JSON, or an empty list
            raise self._no_vectors(" (the answer is not a list of embeddings)") from None
        if not getattr(answer, "data", None):  # a proxy's error page comes as text
            raise self._no_vectors(" (the answer is not a list of embeddings)")
        vectors = sorted(answer.data, key=lambda item: item.index)
        if len(vectors) != len(batch) or any(len(v.embedding) != self.dimension for v in vectors):
            found = len(vectors[0].embedding) if vectors else 0
            raise EmbeddingError(
                f"{self._settings.model} returned {len(vectors)} vectors of {found} numbers for {len(batch)} "
                f"texts; {self.dimension} numbers are expected (ULTRON_EMBEDDING_DIMENSION)."
            )
        rows = np.asarray([v.embedding for v in vectors], dtype=np.float32)
        lengths = np.linalg.norm(rows, axis=1)
        if not np.all(np.isfinite(lengths) & (lengths > 0)):
            raise self._no_vectors(" (a vector is zero or not finite)", TextRefusedError)
        return rows

    def _no_vectors(self, why: str, kind: type[EmbeddingError] = EmbeddingError) -> EmbeddingError:
        return kind(
            f"{self._settings.model} at {self._place} returned no vectors{why}. "
            "Check ULTRON_EMBEDDING_BASE_URL, ULTRON_EMBEDDING_MODEL and the key."
        )
