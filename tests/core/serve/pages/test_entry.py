"""Signing in: once, within five minutes, from no other site; and how a session ends."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.core.serve.conftest import ADDRESS
from tests.core.serve.pages.conftest import Browser
from ultron_core.serve.pages.addresses import HOLDS, new_address, redeem


@pytest.fixture
def stranger(app):
    return Browser(app)


@pytest.fixture
def address(ultron):
    return new_address(ultron.settings.store.home, ADDRESS, datetime.now(UTC))


def test_an_address_signs_in_once(stranger, address, app):
    first = stranger.get(address)
    assert (first.status_code, first.headers["location"]) == (303, "/ui")
    cookie = first.headers["set-cookie"]
    assert (
        all(word in cookie for word in ("HttpOnly", "SameSite=strict", "Path=/ui")) and "Domain" not in cookie
    )
    assert stranger.get("/ui").status_code == 200
    second = Browser(app).get(address)
    assert second.status_code == 401 and "set-cookie" not in second.headers
    assert "ultron serve --sign-in" in second.text


def test_an_address_holds_for_five_minutes(tmp_path):
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    early, late = (new_address(tmp_path, ADDRESS, now).partition("token=")[2] for _ in range(2))
    assert timedelta(minutes=5) == HOLDS
    assert redeem(tmp_path, early, now + HOLDS - timedelta(seconds=1))
    assert not redeem(tmp_path, late, now + HOLDS)
    assert not redeem(tmp_path, late, now)  # it was used up by the try
    assert not redeem(tmp_path, "../access.key", now)


def test_the_home_holds_no_token_that_could_be_read_and_no_expired_ones(tmp_path):
    now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    token = new_address(tmp_path, ADDRESS, now).partition("token=")[2]
    (kept,) = (tmp_path / "sign-in").iterdir()
    assert token not in kept.name and token not in kept.read_text()
    assert (tmp_path / "sign-in").stat().st_mode & 0o777 == 0o700
    new_address(tmp_path, ADDRESS, now + HOLDS)
    assert not kept.exists()


@pytest.mark.parametrize("header", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Purpose": "prefetch"}])
def test_a_link_of_another_site_and_a_browser_that_fetches_ahead_use_nothing_up(stranger, address, header):
    asked = stranger.get(address, headers=header)
    assert asked.status_code == 200 and "set-cookie" not in asked.headers
    token = address.partition("token=")[2]
    assert f'value="{token}"' in asked.text
    sent = stranger.post("/ui/sign-in", data={"token": token}, headers={"Origin": ADDRESS})
    assert sent.status_code == 303 and "set-cookie" in sent.headers


def test_another_site_cannot_sign_somebody_in(stranger, address, key):
    text = key()["Authorization"].removeprefix("Bearer ")
    for fields in ({"token": address.partition("token=")[2]}, {"key": text}):
        answer = stranger.post("/ui/sign-in", data=fields, headers={"Origin": "https://evil.example"})
        assert answer.status_code == 403 and "set-cookie" not in answer.headers


def test_without_a_session_there_is_nothing_but_the_way_in(stranger):
    for path in ("/ui", "/ui/log", "/ui/keys", "/ui/memories/00000000-0000-0000-0000-000000000000"):
        answer = stranger.get(path)
        assert answer.status_code == 401 and "ultron serve --sign-in" in answer.text
    stranger.cookies.set("ultron_session", "made-up", path="/ui")
    assert stranger.get("/ui").status_code == 401
    assert stranger.get("/").headers["location"] == "/ui"


def test_a_wrong_key_says_no_more_than_that(stranger):
    for text in ("", "no key", "ult_0123456789ab_" + "x" * 43, "\x00", "钥匙"):
        answer = stranger.post("/ui/sign-in", data={"key": text})
        assert answer.status_code == 401 and "unknown, expired or revoked" in answer.text


def test_a_session_ends_with_its_key_and_when_its_visitor_leaves(visit, ultron):
    first, second = visit("first", preset="person"), visit("second", preset="person")
    ultron.keys.revoke("first")
    assert first.get("/ui").status_code == 401
    cookie = second.cookies["ultron_session"]
    assert second.submit("/ui/sign-out").headers["location"] == "/ui/sign-in"
    second.cookies.set("ultron_session", cookie, path="/ui")
    assert second.get("/ui").status_code == 401


def test_a_session_ends_after_twelve_hours(visit, ultron, monkeypatch):
    browser = visit(preset="person")
    later = datetime.now(UTC) + timedelta(hours=12, seconds=5)
    monkeypatch.setattr(type(ultron.runtime), "clock", lambda _: later, raising=False)
    assert browser.get("/ui").status_code == 401


def test_a_session_opens_no_route_of_programs(owner):
    assert owner.get("/stats").status_code == 401
    assert owner.get("/memories").status_code == 401


def test_another_host_name_is_refused(owner):
    assert owner.get("/ui", headers={"Host": "evil.example"}).status_code == 421
    answer = owner.get("/ui", headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers


def test_every_answer_forbids_scripts_frames_and_copies(owner, stranger):
    answers = [
        owner.get("/ui"),
        owner.get("/ui/memories/x"),
        stranger.get("/ui"),
        stranger.get("/ui/sign-in"),
    ]
    answers.append(owner.get("/ui/nothing"))
    assert [answer.status_code for answer in answers] == [200, 422, 401, 200, 404]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "script" not in policy and "unsafe" not in policy and "*" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "<script" not in answer.text and " style=" not in answer.text
        assert '<html lang="en">' in answer.text
