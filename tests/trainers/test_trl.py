"""TRL trains two steps on the folder; what it computes loss on is the model's turns and nothing else."""

import re
from pathlib import Path

import datasets
import pytest
import trl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import SFTConfig, SFTTrainer

TEMPLATES = Path(trl.__file__).parent / "chat_templates"


def tokenizer(family, texts=("user assistant tool system",), size=400):
    """A byte-level BPE, made here: nothing is downloaded."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe = trainers.BpeTrainer(vocab_size=size, special_tokens=special, initial_alphabet=alphabet)
    raw.train_from_iterator(texts, bpe)
    made = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    made.chat_template = (TEMPLATES / f"{family}.jinja").read_text("utf-8")
    return made


def small_model(words):
    """Two layers of random weights."""
    config = Qwen3Config(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=16,
        max_position_embeddings=8192,
    )
    return Qwen3ForCausalLM(config)


def trainer(rows, family, folder):
    words = tokenizer(family)
    settings = SFTConfig(
        output_dir=str(folder),
        max_steps=2,
        per_device_train_batch_size=1,
        max_length=8192,
        assistant_only_loss=True,
        report_to=[],
        use_cpu=True,
        save_strategy="no",
        logging_steps=1,
        bf16=False,
    )
    return SFTTrainer(small_model(words), settings, train_dataset=rows, processing_class=words)


def trained_texts(made):
    """The text of each row that loss is computed on."""
    for row in made.train_dataset:
        yield made.processing_class.decode([token for token in row["labels"] if token != -100])


@pytest.fixture
def rows(sample, tmp_path):
    loaded = datasets.load_dataset(str(sample / "good"), split="train", cache_dir=str(tmp_path))
    return loaded.select_columns(["messages", "tools"])


@pytest.mark.parametrize("family", ["qwen3", "qwen3_8"])
def test_two_steps_train_every_answer_and_call_and_no_user_or_tool_text(family, rows, expected, tmp_path):
    made = trainer(rows, family, tmp_path)
    made.train()
    assert made.state.global_step == 2
    for text, row in zip(trained_texts(made), expected, strict=True):
        own = " ".join(str(m) for m in row["messages"] if m["role"] == "assistant")
        wanted = set(re.findall(r"(?:ANSWER|BESIDE|ARGUMENT)_\w+", own))
        assert wanted and {word for word in wanted if word not in text} == set()
        assert not re.search(r"(?:USER|RESULT|SYSTEM)_\d", text)


def test_arguments_as_strings_would_not_train(rows, tmp_path):
    """The seeded bad row."""

    def broken(row):
        messages = [dict(m) for m in row["messages"]]
        for m in messages:
            if m.get("tool_calls"):
                m["tool_calls"] = [
                    {**c, "function": {**c["function"], "arguments": "{}"}} for c in m["tool_calls"]
                ]
        return {"messages": messages}

    with pytest.raises(Exception):  # noqa: B017 - the template raises in its own way
        trainer(rows.map(broken), "qwen3_8", tmp_path).train()
