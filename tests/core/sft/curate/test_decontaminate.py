"""Evaluation texts are found in what is trained, and an evaluation file that is not read is an error."""

import hashlib
import json

import pytest

from ultron_core.sft import build_index, read_folder

QUESTION = (
    "A train leaves the old station at nine and needs three hours for two hundred miles, how fast is it?"
)


def said(text, **more):
    return [{"role": "user", "content": "go"}, {"role": "assistant", "content": text, **more}]


def called(arguments):
    return said("", tool_calls=[{"id": "1", "function": {"name": "write", "arguments": arguments}}])


def test_named_fields_of_jsonl_are_read_and_the_files_hashed(tmp_path):
    (tmp_path / "math.jsonl").write_text(json.dumps({"id": 1, "question": QUESTION, "answer": "67"}) + "\n")
    asked = "Please list the nine planets of a system in order, now."
    (tmp_path / "chat.jsonl").write_text(json.dumps({"messages": [{"role": "user", "content": asked}]}))
    index = read_folder(tmp_path, ["question", "messages"])
    assert index.match(said(f"It says: {QUESTION.upper()}"))[0] == "math"
    assert index.match(said(asked))[0] == "chat"
    assert index.match(said("role user content please list")) is None
    assert index.files["math.jsonl"] == hashlib.sha256((tmp_path / "math.jsonl").read_bytes()).hexdigest()


def test_call_arguments_are_searched_tool_output_is_not():
    index = build_index([("math", QUESTION)])
    assert index.match(called({"file": {"lines": ["x", QUESTION]}}))[0] == "math"
    assert index.match([*said("ok"), {"role": "tool", "content": QUESTION}]) is None


def test_a_file_without_any_of_the_fields_protects_nothing(tmp_path):
    (tmp_path / "odd.jsonl").write_text(json.dumps({"stimulus": QUESTION}))
    with pytest.raises(ValueError, match=r"odd\.jsonl has none of the fields question"):
        read_folder(tmp_path, ["question"])


def test_texts_of_a_few_words_do_not_count():
    assert build_index([("x", "how are you today")]).match(said("how are you today my friend")) is None
