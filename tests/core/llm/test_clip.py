"""Long texts keep their head and their tail, with a mark that says how much is missing."""

import pytest

from ultron_core.llm.clip import fit_tokens, keep_ends


def test_what_is_left_out_is_counted_between_head_and_tail():
    assert keep_ends("a" * 60 + "b" * 500 + "c" * 40, 100) == "a" * 60 + "[…500 cut…]" + "c" * 40
    assert keep_ends("as it is", 8) == "as it is"


@pytest.mark.parametrize("text", ["word " * 50, "字" * 90, "short"])
def test_as_much_is_kept_as_the_tokens_hold(text):
    cut = fit_tokens(text, 30, len)
    assert len(cut) <= 30
    assert cut == text if len(text) <= 30 else cut.startswith(text[:5]) and cut.endswith(text[-5:])
