"""What the classifier of turns sees of a turn."""

from ultron_core.transcript.acts.features import (
    HumanTurn,
    agent_act,
    dense_features,
    dense_names,
    grams,
)


def seen(text, before="", interrupted=False):
    """The features that are not zero."""
    values, _ = dense_features(HumanTurn(text, before, interrupted))
    return {name for name, value in zip(dense_names(), values, strict=True) if value}


def test_words_pairs_and_three_chinese_characters():
    assert {"run", "run it", "^run", "$."} <= grams("Run it.")
    assert {"以", "以后", "以后都"} & grams("以后都用") == {"以", "以后都"}
    assert "以 后" in grams("以后都用")


def test_code_addresses_paths_and_numbers_count_by_kind_alone():
    first = grams("see `foo()` in src/a.py, https://a.example/x line 12")
    assert first == grams("see `bar` in lib/b/c.py, http://b.example line 998")


def test_the_act_before():
    assert {"first"} <= seen("add a test")
    assert {"asked", "proposed", "chat"} <= seen("yes", "Shall I remove it?")
    assert {"done", "worked", "edited"} <= seen("ok", agent_act("Fixed it.", ("Read", "Edit")))
    assert {"refused", "chat"} <= seen("但是", "很抱歉，我无法退款。")
    assert "interrupted" in seen("wait", "I will now delete it", interrupted=True)
    assert "edited" not in seen("ok", agent_act("I will edit it", ("Read",)))


def test_a_class_of_words_counts_again_with_the_act_before():
    assert {"negation", "edited*negation"} <= seen("不要这个", agent_act("好了", ("replace_string",)))
    assert "edited*negation" not in seen("不要这个", "好了")


def test_an_act_keeps_the_end_of_the_text_and_the_last_five_calls():
    act = agent_act("start " + "x" * 400 + " end", tuple("abcdefg"))
    assert len(act) == 300
    assert act.endswith("x end [calls: c, d, e, f, g]")
    assert agent_act("") == ""
