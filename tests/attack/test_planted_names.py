"""A key where a log or a caller gives a name: refused, hashed or redacted, in no column outside the private log."""

import json
import re

import pytest

from tests.support.memories import rows
from tests.support.plants import SECRETS
from ultron_core.client import Ultron
from ultron_core.errors import InputError

KEY = SECRETS["github"]
PRIVATE = re.compile(r"raw_\w+|messages|message_windows|llm_cache")


@pytest.fixture
def ultron(settings):
    with Ultron(settings) as opened:
        yield opened


def holders(ultron):
    """Columns outside the private log in which the key appears."""
    columns = rows(
        ultron,
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'ultron' AND data_type IN ('text', 'jsonb', 'ARRAY')",
    )
    return [
        f"{c['table_name']}.{c['column_name']}"
        for c in columns
        if not PRIVATE.fullmatch(c["table_name"])
        and rows(ultron, f"SELECT 1 FROM {c['table_name']} WHERE {c['column_name']}::text LIKE '%{KEY}%'")
    ]


def claude(uuid, kind, content, **more):
    message = {"role": kind, "content": content, "model": f"opus-{KEY}", "id": uuid}
    return {
        "type": kind,
        "uuid": uuid,
        "sessionId": f"s-{KEY}",
        "version": f"1-{KEY}",
        "message": message,
        **more,
    }


def test_what_a_log_says_of_itself_is_redacted(ultron, tmp_path):
    side = {"isSidechain": True, "agentId": KEY}
    log = [
        claude("a", "user", "Please fix the tests.", cwd=f"/srv/{KEY}"),
        claude("b", "assistant", "They pass now."),
        claude("c", "user", "Search the files.", **side),
        claude("d", "assistant", "Found them.", **side),
    ]
    folder = tmp_path / KEY
    folder.mkdir()
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, log)))
    result = ultron.ingest([folder], "agent", process=True)
    assert result["successful"] == 1 and result["new_segments"] >= 2
    assert KEY not in json.dumps(result, default=str) and holders(ultron) == []
    threads = {row["thread"] for row in rows(ultron, "SELECT thread FROM task_segments")}
    assert "main" in threads and len(threads) == 2


def test_an_agent_that_holds_a_key_is_refused(ultron, tmp_path):
    for call in (
        lambda: ultron.upload_memory("pip fails behind the proxy", agent_id=KEY),
        lambda: ultron.ingest_text("pip fails behind the proxy", KEY),
        lambda: ultron.ingest([tmp_path], KEY),
    ):
        with pytest.raises(InputError, match="agent_id holds a key") as refused:
            call()
        assert KEY not in str(refused.value)


def test_an_idempotency_key_is_stored_as_a_hash_and_still_counts_once(ultron):
    first = ultron.upload_memory("pip fails behind the proxy", idempotency_key=KEY)
    assert ultron.upload_memory("pip fails behind the proxy", idempotency_key=KEY).id == first.id
    with pytest.raises(InputError, match="idempotency_key") as refused:
        ultron.upload_memory("npm fails as well", idempotency_key=KEY)
    assert KEY not in str(refused.value) and holders(ultron) == []
