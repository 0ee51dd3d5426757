"""The remote embedder against a real HTTP server."""

import numpy as np
import pytest

from tests.support.model.server import model_server
from ultron_core.embeddings import Embedder, Thresholds
from ultron_core.embeddings.factory import make_embedder
from ultron_core.embeddings.local import LocalEmbedder
from ultron_core.embeddings.remote import RemoteEmbedder
from ultron_core.errors import EmbeddingError, SettingsError, TextRefusedError
from ultron_core.settings import EmbeddingSettings, LLMSettings, Settings

KEY = "sk-" + "test" * 6


@pytest.fixture
def server():
    with model_server(dimension=8) as running:
        yield running


def embedder(server, *, redact=None, url=None, **more):
    settings = EmbeddingSettings(**({"backend": "openai", "model": "e", "dimension": 8} | more))
    return RemoteEmbedder(
        settings, api_key=KEY, base_url=url or server.url, timeout_seconds=1.0, redact=redact
    )


def test_rows_have_length_one_and_the_model_says_its_dimension(server):
    remote = embedder(server)
    rows = remote.embed(["a", "bbb"])
    assert isinstance(remote, Embedder)
    assert (rows.shape, rows.dtype, remote.model_id) == ((2, 8), np.float32, "e@8")
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0])
    assert remote.thresholds == Thresholds(merge=0.85, soft=0.75, cluster=0.75)


def test_texts_go_in_batches_and_come_back_in_order(server):
    texts = ["x" * n for n in range(1, 6)]
    together = embedder(server, batch_size=2).embed(texts)
    assert [len(request["input"]) for request in server.requests] == [2, 2, 1]
    assert together == pytest.approx(np.vstack([embedder(server).embed([text]) for text in texts]))


def test_no_text_no_request(server):
    assert embedder(server).embed([]).shape == (0, 8)
    assert server.requests == []


def test_what_is_sent_is_redacted_before_it_is_cut(server):
    long = "y" * 7990 + "password"
    embedder(server, redact=lambda text: text.replace("password", "<SECRET>")).embed([long, "", "a\ud800"])
    sent = server.requests[0]["input"]
    assert "pass" not in sent[0]
    assert sent[1:] == [" ", "a?"]


@pytest.mark.parametrize("trouble", ["broken", "page", 401, 404])
def test_an_endpoint_that_gives_no_vectors_is_an_embedding_error(server, trouble):
    server.always = trouble
    with pytest.raises(EmbeddingError, match="ULTRON_EMBEDDING_MODEL") as caught:
        embedder(server).embed(["a"])
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_text_may_be_to_blame(server, status):
    server.always = status
    with pytest.raises(TextRefusedError, match=str(status)):
        embedder(server).embed(["a"])


@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_no_text_is_to_blame(server, status):
    server.always = status
    with pytest.raises(EmbeddingError) as caught:
        embedder(server).embed(["a"])
    assert not isinstance(caught.value, TextRefusedError)


def test_what_passes_is_tried_again(server):
    server.behaviours = [500]
    assert embedder(server).embed(["a"]).shape == (1, 8)
    assert len(server.requests) == 2


def test_nobody_listening_is_an_embedding_error_without_the_password(server):
    server.stop()
    with pytest.raises(EmbeddingError) as caught:
        embedder(server, url=server.url.replace("http://", "http://me:secretword@")).embed(["a"])
    assert "secretword" not in str(caught.value)


def test_vectors_of_another_dimension_are_refused(server):
    with pytest.raises(EmbeddingError, match="ULTRON_EMBEDDING_DIMENSION"):
        embedder(server, dimension=9).embed(["a"])


@pytest.mark.parametrize("value", [0.0, float("nan")])
def test_a_vector_without_direction_is_refused(server, monkeypatch, value):
    data = [{"object": "embedding", "index": 0, "embedding": [value] * 8}]
    monkeypatch.setattr(
        "tests.support.model.server._Handler._vectors",
        lambda self, body: {"object": "list", "data": data, "model": "e", "usage": {}},
    )
    with pytest.raises(EmbeddingError, match="zero or not finite"):
        embedder(server).embed(["a"])


def test_the_backend_setting_chooses():
    remote = EmbeddingSettings(backend="openai", model="e", dimension=8)
    key = LLMSettings(api_key=KEY)
    assert isinstance(make_embedder(Settings()), LocalEmbedder)
    assert isinstance(make_embedder(Settings(llm=key)), LocalEmbedder)
    assert make_embedder(Settings(llm=key, embedding=remote)).model_id == "e@8"
    offline = LLMSettings(api_key=KEY, offline=True)
    assert isinstance(make_embedder(Settings(llm=offline, embedding=remote)), LocalEmbedder)
    with pytest.raises(SettingsError, match="ULTRON_EMBEDDING_API_KEY"):
        make_embedder(Settings(embedding=remote))
