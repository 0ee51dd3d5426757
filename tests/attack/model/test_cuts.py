"""What is shortened before it is shown keeps no half of a secret, and no secret without the name it is known by."""

import pytest

from tests.attack.forms import forms, gone, sets
from ultron_core.llm.tokens import count_tokens
from ultron_core.models import Message, ToolCall
from ultron_core.records.record import Record
from ultron_core.redaction import redact_patterns
from ultron_core.redaction.known import KnownSecrets
from ultron_core.segments.by_model.shown import ShownThread
from ultron_core.segments.by_model.windows import Window
from ultron_core.segments.topic import clean_topic

#: one form in so many; all were tried once (docs/redaction.md)
ONE_IN = 40
#: characters that a record shows before its mark, of a user's message, a tool's result and the arguments of a call
HEADS = {"user": 3600, "tool": 360, "call": 180}
KEY = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG7"


def planted():
    every = (form for name in sets() for form in forms(name))
    return [f for f in every if len(f.secret) >= 12 and not f.secret.isalpha() and gone(f)][::ONE_IN]


def sent(*messages):
    """What a model reads of the messages, redacted as the client does it."""
    record = Record(messages)
    (window,) = record.windows(50_000)
    return redact_patterns(record.text(window, 50_000)).text


def half_left(form, text):
    """A piece of half a line of the secret, or of six characters, that stands in the text."""
    around = form.text.replace(form.secret, "")
    for line in map(str.strip, form.secret.splitlines()):
        length = max(6, len(line) // 2)
        pieces = (line[at : at + length] for at in range(len(line) - length + 1))
        if piece := next((p for p in pieces if p in text and p not in around), ""):
            return piece
    return ""


def cut_through(form, kind):
    """A message whose head ends within the form's secret, or at its beginning."""
    at = form.text.index(form.secret)
    for within in (at, at + len(form.secret) // 2):
        text = ("word " * HEADS[kind])[: HEADS[kind] - within - 1] + "\n" + form.text + "\n" + "more " * 3000
        if kind == "call":
            call = ToolCall("1", "bash", {"command": text})
            yield Message("assistant", "", tool_calls=(call,), origin="model")
        else:
            yield Message(kind, text, origin="tool" if kind == "tool" else "human")


@pytest.mark.parametrize("kind", HEADS)
def test_a_record_cut_within_a_secret_keeps_no_half_of_it(kind):
    left = {
        form.text: piece
        for form in planted()
        for message in cut_through(form, kind)
        if (piece := half_left(form, sent(Message("user", "go"), message)))
    }
    assert left == {}


def test_a_thread_that_a_model_divides_keeps_no_half_of_a_secret():
    form = next(one for one in planted() if one.text.startswith("-----BEGIN") or "=" in one.text)
    for length in range(40, 140, 3):
        text = "w" * length + "\n" + form.text + "\n" + "more " * 100
        messages = [Message("user", "go"), Message("tool", text, origin="tool")]
        shown = ShownThread(messages, count_tokens).text(Window(0, 2, False), 10_000)
        assert half_left(form, redact_patterns(shown).text) == ""


def test_a_lone_argument_goes_by_the_name_that_is_not_shown():
    call = ToolCall("1", "set_secret", {"password": "x7f-91k2"})
    assert "x7f-91k2" not in sent(Message("assistant", "", tool_calls=(call,), origin="model"))


@pytest.mark.parametrize("before", ["", "Please use this in the deploy step of the new service: "])
def test_a_title_holds_no_secret_and_no_half_of_one(before):
    """It drops `-u`, capitalises `Mysql -p..` and ends after 80 characters."""
    left = {
        form.text: piece
        for form in planted()
        if form.rule != "pgpass"
        and (piece := half_left(form, redact_patterns(clean_topic(before + form.text)).text))
    }
    assert left == {}
    assert clean_topic("mysql -u root -ps3cr3t-Pw shop") == "Mysql -u root -p<REDACTED_CREDENTIAL> shop"


def test_a_quote_that_ends_within_a_key_loses_the_half():
    known = KnownSecrets([f"deploy with {KEY} today"])
    assert known.removed(f"deploy with {KEY[:20]}") == "deploy with <GITHUB_TOKEN>"
    assert known.removed(f"deploy with {KEY[:20]}…") == "deploy with <GITHUB_TOKEN>…"
    assert known.removed("deploy with") == "deploy with"
