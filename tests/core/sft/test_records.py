"""One way to write JSON: the identity of every row rests on it."""

import json

import pytest

from ultron_core.sft.records import canonical_json


@pytest.mark.parametrize(
    "value",
    [
        {"b": 1, "a": [True, None, 1.5], "é": '端 \U0001f600 \u2028 \x7f \x00 \t " \\ /'},
        [1e16, 1e-7, 2.5e300, -0.0, 1.0, 12345678901234567890123],
        {"path": "3e5", "text": "null and 1e-5", "10": 1, "9": 2, "Z": 3, "a": 4},
        ("tuple", {"nested": ({"z": 1, "y": "a\ud800b"},)}),
        {},
    ],
)
def test_the_fast_writer_gives_what_the_standard_one_gives(value):
    plain = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    assert canonical_json(value) == plain


def test_no_row_holds_what_is_no_number():
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json({"share": [float("nan")]})
