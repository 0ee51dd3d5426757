"""What models were asked and what it cost, from the ledger of calls."""

from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from tests.support.claims import said, segments_of
from ultron_core.client import Ultron
from ultron_core.llm.ledger import LLMCall
from ultron_core.steps.costs import Spent
from ultron_core.store.tables.llm import PostgresCallLedger

FIRST, LATER = datetime(2026, 3, 1, 23, 59, tzinfo=UTC), datetime(2026, 3, 2, 8, tzinfo=UTC)


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


def asked(ultron, stage, tokens, at=FIRST, *, model="m", cost=0.0, cached=False, error=None):
    ledger = PostgresCallLedger(ultron.runtime.database, ultron.runtime.account_id, lambda: at)
    ledger.record(LLMCall(stage, model, "hash", *tokens, cost, 5.0, cached, error, at))


def test_calls_and_tokens_are_summed_by_stage_day_and_model(ultron):
    asked(ultron, "segment", (1_000, 100))
    asked(ultron, "segment", (2_000, 200), LATER, model="n")
    asked(ultron, "label", (500, 50), LATER)
    asked(ultron, "label", (0, 0), LATER, cached=True)
    asked(ultron, "label", (0, 0), LATER, error="503")
    found = ultron.get_costs()
    assert found.total == Spent("", 3, 1, 1, 3_500, 350, None)
    assert found.stages == (
        Spent("label", 1, 1, 1, 500, 50, None),
        Spent("segment", 2, 0, 0, 3_000, 300, None),
    )
    assert [(one.name, one.tokens) for one in found.days] == [("2026-03-01", 1_100), ("2026-03-02", 2_750)]
    assert [(one.name, one.tokens) for one in found.models] == [("m", 1_650), ("n", 2_200)]
    assert (found.memories, found.tokens_per_memory) == (0, None)
    since = ultron.get_costs(since=datetime(2026, 3, 2))
    assert (since.total.calls, [one.name for one in since.days]) == (2, ["2026-03-02"])


def test_an_empty_store_has_cost_nothing(ultron):
    found = ultron.get_costs()
    assert asdict(found.total) == asdict(Spent("", 0, 0, 0, 0, 0, None))
    assert found.stages == found.days == found.models == ()


def test_money_is_that_of_the_call_or_of_the_present_price(settings):
    priced = settings.llm.model_copy(
        update={"price_input_per_million": 2.0, "price_output_per_million": 10.0}
    )
    with Ultron(settings.model_copy(update={"llm": priced})) as ultron:
        asked(ultron, "label", (100_000, 10_000))
        asked(ultron, "segment", (100_000, 10_000), cost=0.07)
        found = ultron.get_costs()
    assert [one.cost for one in found.stages] == pytest.approx([0.3, 0.07])
    assert found.total.cost == pytest.approx(0.37)


def test_tokens_are_told_for_each_memory_of_a_model_that_is_kept(ultron):
    asked(ultron, "label", (9_000, 1_000))
    (segment,) = segments_of(ultron, "first")
    told = [said(ultron, segment, f"Port 80{n} is taken.", extractor="model:m#1") for n in range(5)]
    said(ultron, segment, "The rules found this one.")
    ultron.archive_memory(told[0].id)
    found = ultron.get_costs()
    assert (found.memories, found.tokens_per_memory) == (4, 2_500)


def test_another_account_s_calls_are_its_own(settings, ultron):
    asked(ultron, "label", (9_000, 1_000))
    store = settings.store.model_copy(update={"account_id": "other"})
    with Ultron(settings.model_copy(update={"store": store})) as other:
        assert other.get_costs().total.calls == 0
