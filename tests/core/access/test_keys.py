"""What a key looks like, what it may do, and how often."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from ultron_core.access.keys import PRESETS, AccessKey, checked_scopes, hash_of, key_id_of, new_key
from ultron_core.access.limits import RateLimits
from ultron_core.client import Ultron
from ultron_core.errors import (
    ConflictError,
    InputError,
    KeyRefusedError,
    NotFoundError,
    RateLimitError,
    ScopeError,
)
from ultron_core.redaction import redact_patterns
from ultron_core.steps.keys import ensure_key_file

NOW = datetime(2026, 9, 1, tzinfo=UTC)


def stored(made, **more):
    return AccessKey(made.id, "default", None, "ci", made.hash, ("read",), NOW, **more)


def test_a_key_has_256_random_bits_and_is_stored_as_its_hash():
    made = new_key()
    assert re.fullmatch(r"ult_[0-9a-f]{12}_[A-Za-z0-9_-]{43}", made.text)
    assert key_id_of(made.text) == made.id and made.hash == hash_of(made.text) and made.text not in made.hash
    assert new_key().text != made.text


@pytest.mark.parametrize(
    "text", ["", "ult_", "ult_x_y", "ult_0123456789ab_" + "x" * 42, "\ud800", "ULT_" + "x" * 60]
)
def test_another_form_is_no_key(text):
    with pytest.raises(KeyRefusedError):
        key_id_of(text)


def test_an_expired_a_revoked_and_a_wrong_key_are_refused_alike():
    made = new_key()
    stored(made, expires_at=NOW + timedelta(days=1)).check(made.text, NOW)
    refused = set()
    for key, text in [
        (stored(made, expires_at=NOW), made.text),
        (stored(made, revoked_at=NOW), made.text),
        (stored(made), new_key().text),
    ]:
        with pytest.raises(KeyRefusedError) as error:
            key.check(text, NOW)
        refused.add(str(error.value))
    assert len(refused) == 1


def test_scopes_come_from_presets_and_lists():
    assert checked_scopes("agent", ["sessions"]) == ("read", "write", "ingest", "sessions")
    assert set(PRESETS["admin"]) == {"read", "write", "ingest", "sessions", "curate", "admin"}
    for preset, scopes in [(None, []), ("king", []), (None, ["fly"])]:
        with pytest.raises(InputError):
            checked_scopes(preset, scopes)
    with pytest.raises(ScopeError, match="write"):
        stored(new_key()).require("write")


def test_a_bucket_fills_again():
    clock = [0.0]
    limits = RateLimits(60, lambda: clock[0])
    for _ in range(60):
        limits.take("a")
    with pytest.raises(RateLimitError) as error:
        limits.take("a")
    assert error.value.retry_after == pytest.approx(1)
    limits.take("b")
    clock[0] = 1.0
    limits.take("a")


def test_a_key_in_a_text_is_redacted():
    text = f"curl -H 'Authorization: Bearer {new_key().text}' and then {new_key().text}."
    clean = redact_patterns(text).text
    assert "ult_" not in clean and "<ULTRON_KEY>" in clean


def test_the_owners_key_file_is_made_once_and_again_when_its_key_ends(settings):
    with Ultron(settings) as ultron:
        path = ensure_key_file(ultron.runtime, settings.store.home)
        first = path.read_text().strip()
        assert path.stat().st_mode & 0o777 == 0o600
        assert ultron.keys.recognise(first).scopes == PRESETS["person"]
        assert ensure_key_file(ultron.runtime, settings.store.home).read_text().strip() == first
        ultron.keys.revoke("owner")
        assert ensure_key_file(ultron.runtime, settings.store.home).read_text().strip() != first


def test_names_are_taken_once_and_unknown_keys_are_not_revoked(settings):
    with Ultron(settings) as ultron:
        key, text = ultron.keys.add("ci", preset="agent", agent_id="a")
        with pytest.raises(ConflictError):
            ultron.keys.add("ci", preset="agent")
        with pytest.raises(NotFoundError):
            ultron.keys.revoke("nobody")
        assert ultron.keys.recognise(text).last_used_at is None
        assert ultron.keys.list()[0].last_used_at is not None
        ultron.keys.revoke(key.id)
        ultron.keys.add("ci", preset="agent")
        with pytest.raises(KeyRefusedError):
            ultron.keys.recognise(text)


def test_a_key_of_another_account_opens_nothing(settings):
    other = settings.model_copy(update={"store": settings.store.model_copy(update={"account_id": "other"})})
    with Ultron(settings) as ultron, Ultron(other) as stranger:
        _, text = stranger.keys.add("ci", preset="admin")
        with pytest.raises(KeyRefusedError):
            ultron.keys.recognise(text)


def test_a_key_that_ends_at_a_time_without_a_zone_is_refused(settings):
    with Ultron(settings) as ultron, pytest.raises(InputError, match="expires_at"):
        ultron.keys.add("ci", preset="agent", expires_at=datetime(2100, 1, 1))
