"""ms-swift's own preprocessor takes every row of its flavours: roles, calls with their arguments, masks, tools."""

import importlib.util
import json
import logging
import sys
import types
from contextlib import nullcontext
from pathlib import Path

import datasets
import pytest

ROOT = Path(importlib.util.find_spec("swift").origin).parent


def stub(name, path=None, **told):
    """A package whose own __init__ pulls in ModelScope and model code; the preprocessor needs these names of it."""
    made = types.ModuleType(name)
    made.__path__ = [str(path)] if path else []
    vars(made).update(told)
    sys.modules[name] = made


for package in ("modelscope", "modelscope.hub", "modelscope.hub.utils", "modelscope.utils"):
    stub(package)
stub("modelscope.utils.logger", get_logger=logging.getLogger)
stub("swift", ROOT)
stub("swift.dataset", ROOT / "dataset")
stub("swift.dataset.utils", sample_dataset=None)
stub("swift.template", ROOT / "template", MaxLengthError=ValueError)
stub(
    "swift.utils",
    ROOT / "utils",
    get_logger=logging.getLogger,
    is_dist=lambda: False,
    is_master=lambda: True,
    safe_ddp_context=lambda *_, **__: nullcontext(),
)

from swift.utils.schema_utils import TOOL_KEYS, remove_arrow_padding  # noqa: E402

vars(sys.modules["swift.utils"]).update(TOOL_KEYS=TOOL_KEYS, remove_arrow_padding=remove_arrow_padding)

from swift.template.utils import history_to_messages  # noqa: E402

vars(sys.modules["swift.template"])["history_to_messages"] = history_to_messages


@pytest.fixture
def preprocess(monkeypatch, tmp_path):
    """The rows as ms-swift hands them to its templates; a row that it would drop is an error here."""
    stub("modelscope.hub.utils.utils", get_cache_dir=lambda: str(tmp_path / "swift"))
    from swift.dataset.preprocessor.core import AutoPreprocessor

    (tmp_path / "swift/datasets/map_cache").mkdir(parents=True)
    return lambda rows: list(AutoPreprocessor()(rows, strict=True, load_from_cache_file=False))


def load(path, folder):
    return datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(folder))


def canonical(messages):
    """What ms-swift's own roles make of a row: the text of a turn, then each of its calls."""
    for message in messages:
        masked = {"loss": message["loss"]} if "loss" in message else {}
        if message["content"] or "tool_calls" not in message:
            yield {"role": message["role"], "content": message["content"], **masked}
        for call in message.get("tool_calls", ()):
            told = {name: call["function"][name] for name in ("name", "arguments")}
            yield {"role": "tool_call", "content": told, **masked}


def without_names(messages):
    kept = ("role", "content", "loss")
    return [{key: m[key] for key in kept if m.get(key) is not None} for m in messages]


def test_every_row_comes_out_with_its_texts_calls_arguments_and_tools(sample, expected, preprocess, tmp_path):
    rows = preprocess(load(sample / "good/flavours/swift/train.jsonl", tmp_path))
    assert len(rows) == len(expected)
    for row, wanted in zip(rows, expected, strict=True):
        assert without_names(row["messages"]) == list(canonical(wanted["messages"]))
        assert (row["tools"] or []) == wanted["tools"]


def test_pairs_keep_both_sides_and_outcomes_their_label(sample, preprocess, tmp_path):
    pairs = preprocess(load(sample / "preference/flavours/swift/train.jsonl", tmp_path))
    assert pairs
    for row in pairs:
        chosen, rejected = (json.dumps(row[name]) for name in ("messages", "rejected_messages"))
        assert "WORKED_" in chosen and "FAILED_" not in chosen
        assert "FAILED_" in rejected and "WORKED_" not in rejected
    outcomes = preprocess(load(sample / "outcome/flavours/swift/train.jsonl", tmp_path))
    assert sorted(row["label"] for row in outcomes) == [False, False, True, True]
    assert all(row["label"] == ("WORKED_" in json.dumps(row["messages"])) for row in outcomes)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ("a text that is null", {"role": "assistant", "content": None}),
        ("a role of another format", {"role": "developer", "content": "Be brief."}),
    ],
)
def test_a_row_in_another_shape_would_be_dropped(about, message, sample, preprocess, tmp_path):
    """The seeded bad row."""
    line = json.loads((sample / "good/flavours/swift/train.jsonl").read_text("utf-8").splitlines()[1])
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({**line, "messages": [*line["messages"], message]}) + "\n")
    with pytest.raises(AssertionError, match="message"):
        preprocess(load(bad, tmp_path))
