"""Looks for model servers on this machine. Only numbers of loopback are ever connected to: no name is looked up, no
proxy is used, no redirect followed, and nothing but the listings is asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import httpx2

from ultron_core.llm.found.listings import KINDS, read_openai
from ultron_core.llm.found.server import Model, Server
from ultron_core.llm.wire.transport import AnswerTooLargeError, limited_http
from ultron_core.setting_models import is_loopback

__all__ = ["PLACES", "base_of", "listed_by", "look", "look_at", "places_of"]

#: where the servers listen unless they are told otherwise, with the one that is expected there
PLACES = {11434: "Ollama", 1234: "LM Studio", 8080: "llama-server", 8000: "vLLM", 1337: "Jan"}
#: seconds for a listing; a server that loads a model answers late
_SECONDS = 3.0
#: of a listing
_MOST_BYTES = 2_000_000


def places_of(env: Mapping[str, str], configured: str) -> list[str]:
    """Addresses to look at: the usual ports, that of OLLAMA_HOST, and the configured one, as far as they are ours."""
    told = env.get("OLLAMA_HOST", "")
    told = told if "://" in told else f"http://{told}"
    own = [base for url in (told, configured) if is_loopback(url) and (base := base_of(url))]
    return list(dict.fromkeys([*(f"http://127.0.0.1:{port}" for port in PLACES), *own]))


def look(places: Iterable[str], keys: Mapping[str, str] | None = None) -> list[Server]:
    """The model servers at these addresses, in their order; where something else listens, or nothing, there is none.

    A key goes to the address alone that it is given for: what else listens on a usual port is not known.
    """
    mine = [place for place in places if is_loopback(place)]
    with ThreadPoolExecutor(max_workers=8) as pool:
        return [
            server
            for server in pool.map(lambda at: look_at(at, (keys or {}).get(at)), mine)
            if server is not None
        ]


def look_at(place: str, key: str | None = None) -> Server | None:
    """The model server at one address of this machine."""
    with limited_http(place, _SECONDS, _MOST_BYTES) as http:
        ask = _asker(http, place, key)
        if ask("/v1/models")[0] == 0:
            return None
        found = (read(f"{place}/v1", ask) for read in KINDS)
        server = next((one for one in found if one is not None), None)
    if (
        server is not None
        and server.kind == "OpenAI-compatible"
        and PLACES.get(urlsplit(place).port or 0) == "Jan"
    ):
        return Server("Jan", server.url, server.models, server.problem)
    return server


def listed_by(url: str, key: str) -> tuple[Model, ...]:
    """The models of a vendor, for a person who agreed that it is asked; empty where it tells none."""
    with limited_http(url, 20.0, _MOST_BYTES) as http:
        ask = _asker(http, url.removesuffix("/v1"), key)
        server = read_openai(url, ask if url.endswith("/v1") else lambda path, body=None: ask(path[3:], body))
    return server.models if server is not None else ()


def _asker(http: httpx2.Client, base: str, key: str | None) -> Any:
    headers = {"authorization": f"Bearer {key}"} if key else {}

    def ask(path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        try:
            how = "GET" if body is None else "POST"
            answer = http.request(how, f"{base}{path}", json=body, headers=headers)
        except (httpx2.HTTPError, AnswerTooLargeError):
            return 0, None
        try:
            return answer.status_code, json.loads(answer.content)
        except (ValueError, RecursionError):
            return answer.status_code, None

    return ask


def base_of(url: str) -> str:
    """The server's own address, by number."""
    parts = urlsplit(url)
    host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname or ""
    try:
        port = parts.port or 11434
    except ValueError:
        return ""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
