"""The listings of model servers, each in its own form, as their makers publish it.

    llama-server  GET /props (n_ctx; 503 while it loads), GET /v1/models     github.com/ggml-org/llama.cpp tools/server
    LM Studio     GET /api/v0/models; 200 with an error for what it does not know       lmstudio.ai/docs/api/rest-api
    Ollama        GET /api/tags, POST /api/show, GET /api/ps                  github.com/ollama/ollama docs/api.md
    others        GET /v1/models: vLLM (max_model_len), Jan, llama-cpp-python

llama-server answers /api/tags as well, and LM Studio answers everything: what tells them apart comes first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from ultron_core.llm.found.server import Model, Server, context_in, models_of

__all__ = ["KINDS", "Ask", "read_openai"]

#: a parameter of a Modelfile, e.g. `num_ctx                        8192`
_NUM_CTX = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)
_KEY_IS_WANTED = "it asks for a key: set ULTRON_LLM_API_KEY"
#: models of an Ollama that are asked about one by one
_MOST_SHOWN = 30


class Ask(Protocol):
    """(status, JSON value) of a path of the server; POST where there is a body, (0, None) where nothing came."""

    def __call__(self, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]: ...


def read_llama_server(url: str, ask: Ask) -> Server | None:
    status, props = ask("/props")
    if status == 503 and "loading" in str(props).lower():
        return Server("llama-server", url, problem="it is still loading its model: try again in a moment")
    settings = props.get("default_generation_settings") if isinstance(props, dict) else None
    if not isinstance(settings, dict):
        return None
    context = context_in(settings, "n_ctx")
    _, listed = ask("/v1/models")
    models = [
        replace(model, context=context, limit=context_in(row.get("meta"), "n_ctx_train"))
        for model, row in models_of(_data(listed))
    ]
    return _server("llama-server", url, models, "start it with a model: `llama-server -m FILE`")


def read_lm_studio(url: str, ask: Ask) -> Server | None:
    _, listed = ask("/api/v0/models")
    if not isinstance(_data(listed), list):
        return None
    models = [
        Model(model.name, context_in(row, "loaded_context_length"), context_in(row, "max_context_length"))
        for model, row in models_of(_data(listed))
    ]
    return _server("LM Studio", url, models, "load one in its window, or by `lms load`")


def read_ollama(url: str, ask: Ask) -> Server | None:
    _, tags = ask("/api/tags")
    rows = tags.get("models") if isinstance(tags, dict) else None
    if not isinstance(rows, list):
        return None
    _, running = ask("/api/ps")
    loaded = {model.name: model for model, _ in models_of(_rows(running, "models"), ("name", "model"))}
    models = []
    for model, _ in list(models_of(rows, ("name", "model")))[:_MOST_SHOWN]:
        _, shown = ask("/api/show", {"model": model.name})
        if (known := _shown(model.name, shown)) is not None:
            models.append(replace(known, context=known.context or loaded.get(model.name, model).context))
    return _server("Ollama", url, models, "fetch one: `ollama pull NAME`")


def _shown(name: str, shown: Any) -> Model | None:
    """What Ollama says of one model; None for one that only makes vectors."""
    given = shown if isinstance(shown, dict) else {}
    abilities = given.get("capabilities")
    if isinstance(abilities, list) and "completion" not in abilities:
        return None
    info = given.get("model_info")
    lengths = [
        key for key in (info if isinstance(info, dict) else {}) if str(key).endswith(".context_length")
    ]
    limit = context_in(info, lengths[0]) if lengths else None
    own = _NUM_CTX.search(str(given.get("parameters", "")))
    return Model(name, int(own.group(1)) if own else None, limit)


def read_openai(url: str, ask: Ask) -> Server | None:
    """Any server with OpenAI's listing."""
    status, listed = ask("/v1/models")
    if status in (401, 403):
        return Server("OpenAI-compatible", url, problem=_KEY_IS_WANTED)
    if not isinstance(_data(listed), list):
        return None
    found = list(models_of(_data(listed)))
    kind = "vLLM" if any(row.get("owned_by") == "vllm" for _, row in found) else "OpenAI-compatible"
    return _server(kind, url, [model for model, _ in found], "load one in it")


def _server(kind: str, url: str, models: list[Model], todo: str) -> Server:
    return Server(kind, url, tuple(models), "" if models else f"it lists no model: {todo}")


def _data(listed: Any) -> Any:
    return _rows(listed, "data")


def _rows(listed: Any, key: str) -> Any:
    return listed.get(key) if isinstance(listed, dict) else None


#: in this order
KINDS: tuple[Callable[[str, Ask], Server | None], ...] = (
    read_llama_server,
    read_lm_studio,
    read_ollama,
    read_openai,
)
