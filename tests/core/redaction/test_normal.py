"""The normalised view and the way back to the original."""

from __future__ import annotations

import pytest

from ultron_core.redaction.normal import normalised
from ultron_core.redaction.spans import Span


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x1b[31mb\x1b[0m", "ab"),
        ("pass\u200bw\u00adord", "password"),
        ("ｓｋ－ａ１", "sk-a1"),
        ('\\"k\\": \\\\\\"v\\\\\\"', '"k": "v"'),
        ("\\u0022x\\u0022 %40 &quot;y&quot; “z”", '"x" @ "y" "z"'),
        ("curl \\\n -u", "curl  -u"),
        ("ghp_a\\\nb &#103;", "ghp_ab g"),
        ("a\x9b31mb\x9d8;;u\x9cc", "abc"),
        ("a\\nb", "a\nb"),
    ],
)
def test_what_a_reader_sees(text, seen):
    view = normalised(text)
    assert view is not None
    assert view.text == seen


@pytest.mark.parametrize("text", ["plain", "100 % sure", "C:\\dir", "a & b", ""])
def test_nothing_to_do_is_none(text):
    assert normalised(text) is None


def test_a_span_of_the_view_covers_what_it_was_made_of():
    text = "x \\u0022se\u200bcret\\u0022 y"
    view = normalised(text)
    start = view.text.index("secret")
    found = view.original(Span(start, start + 6, "REDACTED_CREDENTIAL"))
    assert text[found.start : found.end] == "se\u200bcret"
    quote = view.original(Span(start - 1, start, "REDACTED_CREDENTIAL"))
    assert text[quote.start : quote.end] == "\\u0022"
