"""Model servers of this machine are found by their own listings; nothing else is contacted, and nothing else is one."""

import json
import subprocess
import sys
from dataclasses import astuple

import pytest

from tests.support.model.listings import (
    MODEL,
    LlamaServer,
    LMStudio,
    Ollama,
    OpenAIListing,
    Website,
    chats,
    serving,
)
from ultron_core.llm.found.look import PLACES, listed_by, look, look_at, places_of
from ultron_core.llm.found.server import UNTOLD_CONTEXT, Model
from ultron_core.llm.found.vendors import vendors_at_hand


def found(listing):
    with serving(listing) as (place, asked):
        server = look_at(place)
        assert chats(asked) == [], "nothing but listings is asked for"
    return server


def test_an_ollama_tells_its_models_with_what_they_read():
    server = found(Ollama())
    assert (server.kind, server.problem) == ("Ollama", "")
    (model,) = server.models
    assert astuple(model) == (MODEL, None, 40_960)
    assert model.reads == UNTOLD_CONTEXT, "what it was made for is not what the server gives it"


@pytest.mark.parametrize("told", [{"num_ctx": 8_192}, {"loaded": 8_192}, {"num_ctx": 8_192, "loaded": 4_096}])
def test_the_context_of_an_ollama_is_that_of_its_parameters_or_of_the_loaded_model(told):
    assert found(Ollama(**told)).models[0].reads == 8_192


def test_an_lm_studio_tells_what_is_loaded():
    server = found(LMStudio())
    assert server.kind == "LM Studio"
    assert [astuple(model) for model in server.models] == [
        (MODEL, 8_192, 131_072),
        ("qwen2-vl-7b-instruct", None, 32_768),
    ]


def test_a_llama_server_tells_its_context_and_is_no_ollama():
    server = found(LlamaServer())
    assert server.kind == "llama-server"
    assert server.models == (Model(MODEL, 16_384, 131_072),)


def test_a_llama_server_that_loads_is_waited_for():
    server = found(LlamaServer(loading=True))
    assert server.models == () and "still loading" in server.problem


def test_a_vllm_tells_its_context():
    server = found(OpenAIListing([{"id": "m", "owned_by": "vllm", "max_model_len": 32_768}]))
    assert (server.kind, server.models) == ("vLLM", (Model("m", 32_768),))


def test_a_server_that_wants_a_key_gets_it_only_where_it_belongs():
    with serving(OpenAIListing([{"id": "jan-nano"}], key="secret")) as (place, _):
        assert "ULTRON_LLM_API_KEY" in look([place])[0].problem
        assert look([place], {"http://127.0.0.1:1": "secret"})[0].models == ()
        assert look([place], {place: "secret"})[0].models == (Model("jan-nano"),)


@pytest.mark.parametrize(
    ("listing", "todo"),
    [(Ollama(names=()), "ollama pull"), (OpenAIListing([]), "lists no model")],
)
def test_a_server_without_a_model_says_what_to_do(listing, todo):
    server = found(listing)
    assert server.models == () and todo in server.problem


ODD = [
    {"data": "none"},
    {"data": [1, None, {"id": 5}, {"name": "x"}]},
    {"data": {"id": "m"}},
    [],
    "x",
    {"data": [{"id": "a\nb"}, {"id": "\x1b[31mred"}, {"id": "y" * 5_000}]},
    {"data": [{"id": "ok", "max_model_len": -5, "n_ctx": True, "context_length": 10**30}]},
]


@pytest.mark.parametrize("value", ODD, ids=str)
def test_odd_listings_name_no_model_that_cannot_be_used(value):
    class Odd(OpenAIListing):
        def get(self, path, headers):
            return (200, value) if path == "/v1/models" else self.unknown

    server = found(Odd([]))
    names = [model.name for model in server.models] if server else []
    assert names in ([], ["ok"])
    assert all(model.context is None for model in (server.models if server else ()))


def test_something_else_on_a_usual_port_is_no_model_server():
    assert found(Website()) is None


def test_nothing_is_found_where_nothing_listens():
    assert look(["http://127.0.0.1:9"]) == []


def test_the_places_are_those_of_the_makers_and_our_own():
    assert set(PLACES) == {11434, 1234, 8080, 8000, 1337}
    own = places_of({"OLLAMA_HOST": "127.0.0.1:4711"}, "http://localhost:9000/v1")
    assert own[-2:] == ["http://127.0.0.1:4711", "http://127.0.0.1:9000"]
    away = places_of({"OLLAMA_HOST": "gpu.example:11434"}, "https://api.openai.com/v1")
    assert len(away) == len(PLACES)
    assert len(places_of({"OLLAMA_HOST": "0.0.0.0"}, "")) == len(PLACES)


#: everything that a process connects to or looks up, as Python's own audit events tell it
WATCHED = """
import json, sys
seen = []
def watch(event, arguments):
    if event == "socket.connect":
        seen.append(str(arguments[1][0]))
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        seen.append(str(arguments[0]))
sys.addaudithook(watch)
from ultron_core.llm.found.look import look, places_of
env = {"OLLAMA_HOST": "gpu.example:11434"}
places = [*places_of(env, "https://llm.example/v1"), "http://llm.example", "http://10.0.0.1:11434", sys.argv[1]]
found = look(places)
print(json.dumps([seen, [server.kind for server in found]]))
"""


def test_no_address_but_loopback_is_contacted(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://proxy.example:3128")
    monkeypatch.delenv("no_proxy", raising=False)
    with serving(Ollama()) as (place, _):
        done = subprocess.run(
            [sys.executable, "-c", WATCHED, place], capture_output=True, text=True, check=True
        )
    seen, kinds = json.loads(done.stdout)
    assert "Ollama" in kinds
    assert set(seen) == {"127.0.0.1"}


def test_a_redirect_leads_nowhere():
    class Away(OpenAIListing):
        def get(self, path, headers):
            return 307, {"data": [{"id": "m"}]}

    with serving(Away([])) as (place, asked):
        look_at(place)
        assert {path for _, path, _ in asked} <= {
            "/v1/models",
            "/props",
            "/api/v0/models",
            "/api/tags",
            "/api/ps",
        }


def test_a_vendor_lists_its_models_with_their_context():
    with serving(OpenAIListing([{"id": "m", "context_length": 131_072}], key="k")) as (place, _):
        assert listed_by(f"{place}/v1", "k") == (Model("m", 131_072),)
        assert listed_by(f"{place}/v1", "wrong") == ()


def test_keys_are_found_by_the_names_of_their_variables():
    env = {"OPENAI_API_KEY": "sk-1", "DEEPSEEK_API_KEY": " ", "GROQ_API_KEY": "g"}
    assert [vendor.name for vendor in vendors_at_hand(env)] == ["OpenAI", "Groq"]
