"""`ultron keys add`: which scopes a key gets."""

import json

import pytest

from ultron_core.access.keys import PRESETS


@pytest.mark.parametrize(
    ("given", "scopes"),
    [
        ([], PRESETS["agent"]),
        (["--scope", "read"], ["read"]),
        (["--scope", "ingest", "--scope", "read"], ["read", "ingest"]),
        (["--preset", "person"], PRESETS["person"]),
        (["--preset", "agent", "--scope", "curate"], [*PRESETS["agent"], "curate"]),
    ],
)
def test_a_key_has_what_was_asked_for_and_nothing_else(run, given, scopes):
    code, out, _ = run("keys", "add", "reader", *given, "--json")
    assert (code, json.loads(out)["scopes"]) == (0, list(scopes))


def test_an_agent_that_is_no_folders_name_is_refused(run):
    code, _, err = run("keys", "add", "reader", "--agent", "../x")
    assert code == 1 and "agent_id" in err
