"""`ultron cost`: what models were asked, as tables and as JSON."""

import json
from datetime import UTC, datetime

from ultron_core.client import Ultron
from ultron_core.llm.ledger import LLMCall
from ultron_core.settings import Settings
from ultron_core.store.tables.llm import PostgresCallLedger

DAY = datetime(2026, 3, 1, tzinfo=UTC)


def ask(tokens):
    with Ultron(Settings.load()) as ultron:
        ledger = PostgresCallLedger(ultron.runtime.database, ultron.runtime.account_id, lambda: DAY)
        ledger.record(LLMCall("label", "qwen3:8b", "hash", *tokens, 0.0, 5.0, False, None, DAY))


def test_a_store_that_asked_no_model_says_so(run):
    code, told, _ = run("cost")
    assert (code, told) == (0, "No model was asked yet.\n")
    assert json.loads(run("cost", "--json")[1])["total"]["calls"] == 0


def test_calls_and_tokens_are_shown_with_what_is_missing_for_money(run, monkeypatch):
    ask((12_345, 678))
    told = run("cost")[1]
    assert "1 call, 12,345 tokens in, 678 out." in told and "qwen3:8b" in told and "2026-03-01" in told
    assert "No prices are set" in told
    assert run("cost", "--since", "2026-03-02")[1] == "No model was asked since 2026-03-02.\n"
    monkeypatch.setenv("ULTRON_LLM_PRICE_INPUT", "10")
    assert ", 0.1235." in run("cost")[1]
    (stage,) = json.loads(run("cost", "--json")[1])["stages"]
    assert (stage["name"], stage["input_tokens"], round(stage["cost"], 4)) == ("label", 12_345, 0.1235)


def test_a_day_that_is_none_is_refused(run):
    assert run("cost", "--since", "yesterday")[0] == 2
