"""Pages of a made-up list: a line for every filter in every order, each of which finds what it should."""

import importlib
import json


def test_each_filter_is_timed_in_each_order_and_the_slowest_named(monkeypatch, capsys, new_database):
    monkeypatch.setattr(
        "sys.argv", ["listing.py", "--sizes", "3000", "--rounds", "1", "--url", new_database()]
    )
    listing = importlib.import_module("listing")
    assert listing.main() == 0
    *told, last = map(json.loads, capsys.readouterr().out.splitlines())
    fits = {(row["filter"], row["sort"]): row["fits"] for row in told if row["page"] == "first"}
    assert len(fits) == 54 and {row["page"] for row in told} == {"first", "later"}
    assert fits["none", "hits"] == 50 and fits["agent, rare", "hits"] == fits["tag, rare", "time"] == 1
    assert 0 < fits["session", "last_hit"] < 10 and 0 < fits["cluster", "time"] < 10
    assert all(count > 0 for name, count in fits.items()), fits
    assert last["p50_ms"] == max(row["p50_ms"] for row in told)
