"""LLaMA-Factory's own converter takes every row, and its function formatter reads every call back as it was."""

import importlib.util
import json
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(importlib.util.find_spec("llamafactory").origin).parent
for name, path in (("llamafactory", ROOT), ("llamafactory.data", ROOT / "data")):
    # the packages' own __init__ pulls in what its pins forbid beside the other trainers; the modules do not need it
    stub = types.ModuleType(name)
    stub.__path__ = [str(path)]
    sys.modules[name] = stub

from llamafactory.data.converter import SharegptDatasetConverter  # noqa: E402
from llamafactory.data.formatter import FunctionFormatter  # noqa: E402
from llamafactory.data.parser import DatasetAttr  # noqa: E402

WORDS = {"thought_words": ("<think>\n", "\n</think>\n\n"), "tool_call_words": ("<tool_call>", "</tool_call>")}


@pytest.fixture
def convert(sample):
    info = json.loads((sample / "good/flavours/llamafactory/dataset_info.json").read_text())["ultron_train"]
    attributes = DatasetAttr("file", info["file_name"], formatting=info["formatting"])
    attributes.join(info)
    return SharegptDatasetConverter(dataset_attr=attributes, data_args=types.SimpleNamespace())


@pytest.fixture
def lines(sample):
    text = (sample / "good/flavours/llamafactory/train.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_converter_drops_no_row(convert, lines, expected):
    for line, row in zip(lines, expected, strict=True):
        done = convert(line)
        said = [
            m["content"]
            for m in (*done["_prompt"], *done["_response"])
            if m["role"] in ("assistant", "function")
        ]
        assert len(said) == sum(m["role"] == "assistant" for m in row["messages"])


def test_the_converter_would_drop_two_turns_of_one_side(convert, lines):
    """The seeded bad row."""
    turns = lines[0]["conversations"]
    assert convert({**lines[0], "conversations": [turns[0], *turns]})["_response"] == []


def formatted(content):
    """What the model would be trained to say for a turn with calls, in Qwen's form."""
    formatter = FunctionFormatter(slots=["{{content}}"], tool_format="qwen")
    return "".join(formatter.apply(content=content, **WORDS))


def test_the_function_formatter_reads_every_call_as_it_was(lines, expected):
    seen = 0
    for line, row in zip(lines, expected, strict=True):
        turns = [t["value"] for t in line["conversations"] if t["from"] in ("gpt", "function_call")]
        for value, message in zip(
            turns, (m for m in row["messages"] if m["role"] == "assistant"), strict=True
        ):
            if "tool_calls" not in message:
                continue
            text = formatted(value)
            assert message["content"].replace("<", "") in text.replace("< ", "")
            for call in message["tool_calls"]:
                written = json.dumps(call["function"]["arguments"], ensure_ascii=False)
                assert f'"arguments": {written}' in text
                seen += 1
    assert seen == 7


def test_markers_that_are_not_escaped_would_break_it():
    """The seeded bad row: what the flavour would hold without escaping."""
    with pytest.raises(RuntimeError, match="Invalid JSON format"):
        formatted('A <tool_call> opens it.\n<tool_call>[{"name": "f", "arguments": {}}]</tool_call>')
