"""A model server that answers every stage sensibly, and settings that name it."""

import pytest

from tests.core.steps.stages.test_model_path import answer
from tests.support.model.server import model_server
from ultron_core.settings import LLMSettings


@pytest.fixture
def server():
    with model_server(answer=answer) as running:
        yield running


@pytest.fixture
def with_model(settings, server):
    llm = LLMSettings(
        api_key="sk-" + "local" * 5,
        base_url=server.url,
        model="judge-1",
        timeout_seconds=2,
        max_retries=0,
        retry_base_delay=0,
    )
    return settings.model_copy(update={"llm": llm})
