"""A server of this machine that was found, as its own listing describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["UNTOLD_CONTEXT", "Model", "Server", "context_in", "models_of"]

#: tokens; what a server reads that does not say so, as Ollama does by default on small machines
UNTOLD_CONTEXT = 4_096
#: names of one server, and characters of one, that are looked at
_MOST_MODELS, _MOST_NAME = 200, 200
#: more tokens than any model reads
_MOST_CONTEXT = 100_000_000
#: where a listing in OpenAI's form says what a model reads: vLLM, OpenRouter, Mistral, Groq, llama-server
_CONTEXTS = ("max_model_len", "context_length", "max_context_length", "context_window", "n_ctx")


@dataclass(frozen=True, slots=True)
class Model:
    """One model: `context` is what its server reads now, `limit` what it was made for; None where nobody says."""

    name: str
    context: int | None = None
    limit: int | None = None

    @property
    def reads(self) -> int:
        """Tokens of a request with its answer, as far as they are sure."""
        return self.context or min(self.limit or UNTOLD_CONTEXT, UNTOLD_CONTEXT)


@dataclass(frozen=True, slots=True)
class Server:
    """`url` is the base of its OpenAI-compatible half; `problem` why it cannot be used as it is."""

    kind: str
    url: str
    models: tuple[Model, ...] = ()
    problem: str = ""


def models_of(rows: Any, names: Sequence[str] = ("id",)) -> Iterator[tuple[Model, Mapping[str, Any]]]:
    """The models of a listing with their rows, without those that only make vectors and names that cannot be shown."""
    for row in rows[:_MOST_MODELS] if isinstance(rows, list) else []:
        if not isinstance(row, dict) or "embed" in str(row.get("type", "")):
            continue
        name = next((row[key] for key in names if isinstance(row.get(key), str)), "")
        if name and name.isprintable() and len(name) <= _MOST_NAME:
            yield (
                Model(name, next((found for key in _CONTEXTS if (found := context_in(row, key))), None)),
                row,
            )


def context_in(row: Any, key: str) -> int | None:
    """A number of tokens that can be true."""
    value = row.get(key) if isinstance(row, dict) else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 < value <= _MOST_CONTEXT else None
