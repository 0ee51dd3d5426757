"""The commands say whose words a claim is, and leave it out unless it is asked for."""

import json

import pytest

from tests.support.claims import said, segments_of
from ultron_core.client import Ultron
from ultron_core.settings import Settings

CLAIM = "The proxy drops idle connections after thirty seconds."


@pytest.fixture
def claim(run):
    with Ultron(Settings.load()) as ultron:
        (segment,) = segments_of(ultron, "first")
        return said(ultron, segment, CLAIM, probability=0.625)


def test_a_search_shows_claims_where_it_asks_for_them(run, claim):
    assert "Nothing found." in run("search", "idle proxy connections")[2]
    listed = run("search", "idle proxy connections", "--claimed")[1]
    assert "The agent said: The proxy drops" in listed and "claimed" in listed
    (hit,) = json.loads(run("search", "proxy", "--claimed", "--proof", "claimed", "--json")[1])
    assert (hit["record"]["status"], hit["record"]["probability"]) == ("claimed", 0.625)
    assert json.loads(run("search", "proxy", "--claimed", "--proof", "check", "--json")[1]) == []


def test_show_and_stats_tell_of_it(run, claim):
    shown = run("show", str(claim.id)[:8])[1]
    assert f"The agent said: {CLAIM}" in shown and "0.625" in shown
    counted = json.loads(run("stats", "--json")[1])["memories"]
    assert (counted["active"], counted["claimed"]) == (0, 1)


def test_a_confirmed_claim_is_found_by_every_search(run, claim):
    run("confirm", str(claim.id)[:8])
    found = run("search", "idle proxy connections")[1]
    assert "The proxy drops" in found and "The agent said" not in found


def test_a_cure_that_nothing_bears_out_is_shown_as_one(run):
    with Ultron(Settings.load()) as ultron:
        (segment,) = segments_of(ultron, "first")
        record = said(ultron, segment, CLAIM, proof="result", resolution="Ping it.", cure="claimed")
    assert "resolution (cure not verified)\nPing it." in run("show", str(record.id)[:8])[1]
    assert "verified)" in run("search", "idle proxy connections")[1]
    (hit,) = json.loads(run("search", "idle proxy", "--json")[1])
    assert hit["record"]["cure"] == "claimed"
