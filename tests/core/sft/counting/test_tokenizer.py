"""Tokens are counted as a model's own tokenizer and chat template would, from files and without a download."""

import json

import pytest

from tests.support.rows import MANIFEST, asked, assistant, build, candidate, user
from ultron_core.errors import InputError
from ultron_core.llm.tokens import token_counter
from ultron_core.models import ToolCall
from ultron_core.sft import verify_dataset, write_dataset
from ultron_core.sft.build import build_rows
from ultron_core.sft.clean import Tools
from ultron_core.sft.config import BuildConfig
from ultron_core.sft.counting.counts import token_counts
from ultron_core.sft.counting.tokenizer import row_counter
from ultron_core.sft.workers import Workers

#: "hello" is one token, " world" is one, every other byte is its own; Ġ stands for the space
MERGES = ["h e", "l l", "he ll", "hell o", "Ġ w", "o r", "l d", "Ġw or", "Ġwor ld"]
TEMPLATE = """{% for m in messages %}<|turn|>{{ m.role }}
{{ m.content }}{% if m.tool_calls | default([]) | length > 1 %}{{ raise_exception("one call a turn") }}{% endif %}
{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}"""


@pytest.fixture
def model(tmp_path):
    """The folder of a model's tokenizer, as hubs hold it."""
    folder = tmp_path / "model"
    folder.mkdir()
    told = {
        "model": {"type": "BPE", "vocab": {}, "merges": MERGES},
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "normalizer": {"type": "NFC"},
        "added_tokens": [{"content": "<|turn|>", "special": True}],
    }
    (folder / "tokenizer.json").write_text(json.dumps(told))
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": TEMPLATE}))
    return folder


def test_a_text_is_counted_by_the_merges_of_the_file(model):
    count = row_counter(str(model))
    assert [count(text) for text in ("hello world", "hello", "端", "<|turn|>")] == [2, 1, 3, 8]
    assert count("e\u0301") == len("é".encode()), "NFC first"
    assert row_counter(str(model / "tokenizer.json")).name == count.name != "cl100k_base"


def test_a_row_is_counted_as_the_template_writes_it(model):
    row = [{"role": "user", "content": "hello world"}, {"role": "assistant", "content": "hello"}]
    # two marks, "user" and "assistant" by the letter, a line end each, two and one for the words
    assert token_counts(row, [], row_counter(str(model))) == (2 + len("userassistant") + 2 + 3, 1)
    with_tools, _ = token_counts(row, [{"a": 1}], row_counter(str(model)))
    assert with_tools == 20 + len('[{"a": 1}]')


def test_a_row_that_the_template_refuses_is_counted_by_its_texts(model):
    calls = [{"function": {"name": "f", "arguments": {}}}] * 2
    row = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hello", "tool_calls": calls},
    ]
    assert row_counter(str(model)).whole(row, []) is None
    assert token_counts(row, [], row_counter(str(model)))[0] > 10


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model": {"type": "Unigram"}}, "only byte-level BPE"),
        ({"pre_tokenizer": {"type": "Metaspace"}}, "only byte-level BPE"),
        ({"normalizer": {"type": "Lowercase"}}, "the normalizer Lowercase is not known"),
    ],
)
def test_a_tokenizer_of_another_kind_is_refused(model, change, told):
    path = model / "tokenizer.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(InputError, match=told):
        row_counter(str(path))


def test_a_place_without_one_and_a_template_that_is_none(model):
    with pytest.raises(InputError, match=r"ULTRON_SFT_TOKENIZER: .*nowhere cannot be read"):
        row_counter("nowhere")
    (model / "chat_template.jinja").write_text("{% for %}")
    with pytest.raises(InputError, match="chat template"):
        row_counter(str(model))


def test_a_dataset_is_verified_with_the_tokenizer_that_its_manifest_names(model, tmp_path):
    rows = [asked(1, "Say hello world to the world, hello world.", "hello world, and hello to all of them.")]
    counter = row_counter(str(model))
    tools = Tools(list, lambda text: False, counter)
    built = build_rows(rows, BuildConfig(), Workers(lambda: tools))
    write_dataset(tmp_path / "v1", built, {**MANIFEST, "tokenizer": counter.name})
    assert verify_dataset(tmp_path / "v1", tokenizer=str(model)) == []
    assert "set ULTRON_SFT_TOKENIZER" in verify_dataset(tmp_path / "v1")[0]
    write_dataset(tmp_path / "v2", built, {**MANIFEST, "tokenizer": "cl100k_base"})
    assert "rule 16" in verify_dataset(tmp_path / "v2")[0], "the counts are another tokenizer's"


def test_without_a_file_the_table_that_comes_with_a_package_counts():
    (row,) = build(
        [candidate(1, user("Hello there."), assistant("Hi.", ToolCall("a", "f", {"q": "x"})))]
    ).rows
    assert row.num_tokens == token_counts(row.messages, row.tools, row_counter("cl100k_base"))[0]
    assert row_counter("o200k_base")("hello") == token_counter("o200k_base")("hello")
