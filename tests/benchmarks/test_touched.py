"""How much of tool output the redactor touches: what is drawn, and how it is counted."""

import importlib
import json

import pytest

from ultron_core.models import Message, ToolCall


@pytest.fixture
def touched():
    return importlib.import_module("audits.touched")


def test_tool_results_arguments_and_fenced_code_are_read_and_talk_is_not(touched):
    call = ToolCall("c1", "bash", {"command": "ls", "more": ["cat x"]})
    said = [
        Message("user", "please look"),
        Message("assistant", "Sure:\n```python\nx = 1\n```\nDone.", (call,)),
        Message("tool", "a.txt"),
    ]
    assert list(touched.texts_of(said)) == ["x = 1\n", "ls", "cat x", "a.txt"]


def test_tokens_are_counted_by_kind_over_all_that_was_read(touched):
    text = "mail mary@example.com now"
    found = touched.touches("a", [text])
    row = touched.rate(found, 1_000)
    assert row["findings"] == 1 and list(row["by_kind"]) == ["EMAIL_ADDRESS"]
    assert row["touched_per_1000"] == row["by_kind"]["EMAIL_ADDRESS"] > 0
    assert found[0].shown()["around"] == "mail ⟦mary@example.com⟧ now"


def test_a_set_is_drawn_by_seed_until_it_holds_enough(touched, tmp_path):
    places = importlib.import_module("inputs.places")
    folder = tmp_path / "sessions" / "one"
    folder.mkdir(parents=True)
    lines = [
        {"role": "tool", "tool_call_id": str(n), "content": f"line {n} of the output"} for n in range(40)
    ]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    sets = places.session_sets(tmp_path)
    texts, held = touched.drawn(sets[0], None, 60, 1)
    assert 60 <= held < 80 and len(texts) < 40
    assert texts == touched.drawn(sets[0], None, 60, 1)[0] != touched.drawn(sets[0], None, 60, 2)[0]
    assert touched.drawn(sets[0], frozenset({"other"}), 60, 1) == ([], 0)
