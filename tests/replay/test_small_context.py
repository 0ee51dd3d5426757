"""The sixteen sessions on a model of one small machine: a context that is kept to, schemas that may be refused."""

import pytest

from tests.support.gold import sessions
from tests.support.model.server import model_server
from tests.support.model.small import SmallServer, recorded_or_sensible
from tests.support.walk import walk, with_server
from ultron_core.client import Ultron
from ultron_core.errors import ModelUnavailableError
from ultron_core.settings import SessionSettings
from ultron_core.steps.stages.estimate import estimate_pending

#: tokens of context, and the calls that they may take; 16 where the whole of each record fits
CALLS = {4_096: 60, 8_192: 24, 16_384: 16}


def small_walk(settings, plain, context, **more):
    settings = settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=0)})
    small = SmallServer(context, recorded_or_sensible())
    with model_server() as server:
        server.always = small
        values = {"api_key": None, "max_input_tokens": context, **more}
        return walk(with_server(settings, server, **values), server, **plain), small


@pytest.mark.parametrize("context", CALLS)
def test_every_stage_completes_within_a_small_context(settings, plain, context):
    done, small = small_walk(settings, plain, context)
    assert (done.report["pending"], done.report["failed"], done.report["errors"]) == (0, 0, ())
    assert small.refused == []
    assert small.calls <= CALLS[context]
    assert small.longest <= context - context // 4, "a quarter is kept for the answer"
    assert all(segment["labeler"] for segment in done.segments)


def test_one_that_says_it_reads_more_than_it_does_is_asked_with_less(settings, plain):
    done, small = small_walk(settings, plain, 6_000, max_input_tokens=32_000)
    assert (done.report["pending"], done.report["failed"]) == (0, 0)
    assert {reason.partition("exceeds")[2] for reason in small.refused} == {
        " the available context size (6000 tokens)"
    }


def test_a_context_smaller_than_the_instructions_is_told_with_the_one_that_is_needed(settings, plain):
    settings = settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=0)})
    with (
        model_server() as server,
        Ultron(with_server(settings, server, max_input_tokens=1_024), **plain) as ultron,
    ):
        ultron.ingest([session.path for session in sessions()[:2]], "agent")
        report = ultron.process_pending()
        with pytest.raises(ModelUnavailableError, match="1,188 are needed"):
            estimate_pending(ultron.runtime)
    assert server.chats() == []
    assert (report["pending"], report["failed"]) == (2, 0)
    for reason in set(report["errors"]) - {"not tried: the model endpoint is down"}:
        assert "reads 1,024 tokens" in reason and " are needed. " in reason and "`ultron process`" in reason
