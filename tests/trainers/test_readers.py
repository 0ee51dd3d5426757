"""`datasets` gives back exactly what was written; six template families render all of it."""

import json
import re
from pathlib import Path

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import trl
from transformers.utils.chat_template_utils import render_jinja_template

TEMPLATES = Path(trl.__file__).parent / "chat_templates"
#: families, each with what it cannot render: the card lists these as known losses
FAMILIES = {
    "qwen3": (),
    "qwen3_8": (),
    "qwen2_5": (),
    "glm4moe": (),
    "nemotron_3_nano": (),
    "gptoss": ("beside",),
    "llama3_1": ("parallel", "beside"),
}


def test_datasets_gives_back_what_was_written(sample, expected, tmp_path):
    rows = datasets.load_dataset(str(sample / "good"), split="train", cache_dir=str(tmp_path))
    assert [{"messages": row["messages"], "tools": row["tools"]} for row in rows] == expected


def test_plain_structs_would_not_come_back(expected, tmp_path):
    """The seeded bad file: a struct column pads the arguments of every call with the keys of all others."""
    calls = [c["function"] for row in expected for m in row["messages"] for c in m.get("tool_calls", ())]
    plain = [{"arguments": {k: str(v) for k, v in call["arguments"].items()}} for call in calls]
    pq.write_table(pa.Table.from_pylist(plain), tmp_path / "train-0.parquet")
    rows = datasets.load_dataset(str(tmp_path), split="train", cache_dir=str(tmp_path / "cache"))
    assert list(rows) != plain and None in rows[0]["arguments"].values()


def rendered(family, row):
    template = (TEMPLATES / f"{family}.jinja").read_text("utf-8")
    texts, _ = render_jinja_template([row["messages"]], tools=row["tools"] or None, chat_template=template)
    return texts[0]


def words_of(row):
    """The words in capitals that the row holds, and the names of its tools."""
    return set(re.findall(r"\b[A-Z]+_[A-Z0-9]+\b", json.dumps(row["messages"]))) | {
        call["function"]["name"] for m in row["messages"] for call in m.get("tool_calls", ())
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_renders_every_text_call_argument_and_result(family, expected):
    for row in expected:
        parallel = any(len(m.get("tool_calls", ())) > 1 for m in row["messages"])
        if parallel and "parallel" in FAMILIES[family]:
            with pytest.raises(Exception, match="single tool-calls"):
                rendered(family, row)
            continue
        text = rendered(family, row)
        lost = {word for word in words_of(row) if word not in text}
        known = {word for word in lost if word.startswith("BESIDE") and "beside" in FAMILIES[family]}
        assert lost == known, f"{family} loses {lost - known}"


@pytest.mark.parametrize("family", ["qwen3_8", "glm4moe"])
def test_arguments_as_a_string_would_break(family, expected):
    """The seeded bad row of the templates."""
    row = json.loads(json.dumps(expected[1]))
    for message in row["messages"]:
        for call in message.get("tool_calls", ()):
            call["function"]["arguments"] = json.dumps(call["function"]["arguments"])
    with pytest.raises(Exception):  # noqa: B017 - each template raises in its own way
        rendered(family, row)
