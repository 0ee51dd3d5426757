"""TRL trains two steps of DPO and of KTO on the folders of pairs and outcomes, the better side being the better run."""

import datasets
import pytest
from trl import DPOConfig, DPOTrainer, KTOConfig, KTOTrainer

from tests.trainers.test_trl import small_model, tokenizer

FAMILY = "qwen3"
COMMON = {
    "max_steps": 2,
    "per_device_train_batch_size": 2,
    "report_to": [],
    "use_cpu": True,
    "save_strategy": "no",
    "logging_steps": 1,
    "bf16": False,
}


def load(sample, kind, columns, folder):
    loaded = datasets.load_dataset(str(sample / kind), split="train", cache_dir=str(folder))
    return loaded.select_columns(columns)


def dpo(rows, folder):
    words = tokenizer(FAMILY)
    settings = DPOConfig(output_dir=str(folder), max_length=4096, **COMMON)
    model, reference = small_model(words), small_model(words)
    return DPOTrainer(model, reference, settings, train_dataset=rows, processing_class=words)


def kto(rows, folder):
    words = tokenizer(FAMILY)
    settings = KTOConfig(output_dir=str(folder), max_length=4096, **COMMON)
    model, reference = small_model(words), small_model(words)
    return KTOTrainer(model, reference, settings, train_dataset=rows, processing_class=words)


def test_two_steps_of_dpo_prefer_the_run_that_worked(sample, tmp_path):
    made = dpo(load(sample, "preference", ["prompt", "chosen", "rejected", "tools"], tmp_path), tmp_path)
    made.train()
    assert made.state.global_step == 2
    for row in made.train_dataset:
        texts = {
            name: made.processing_class.decode(ids) for name, ids in row.items() if name.endswith("_ids")
        }
        prompt, chosen, rejected = (
            next(text for name, text in texts.items() if name.startswith(side))
            for side in ("prompt", "chosen", "rejected")
        )
        assert "USER_" in prompt and "look_up" in prompt, "the request and the tools"
        assert "WORKED_" in chosen and "FAILED_" not in chosen and "ARGUMENT_" in chosen
        assert "FAILED_" in rejected and "WORKED_" not in rejected


def test_two_steps_of_kto_with_the_label_of_each_run(sample, tmp_path):
    rows = load(sample, "outcome", ["prompt", "completion", "label", "tools"], tmp_path)
    assert sorted(rows["label"]) == [False, False, True, True]
    for row in rows:
        assert row["label"] == any("WORKED_" in message["content"] for message in row["completion"])
    made = kto(rows, tmp_path)
    made.train()
    assert made.state.global_step == 2


@pytest.mark.parametrize(
    ("train", "kind", "columns"),
    [
        (dpo, "preference", ["prompt", "chosen", "rejected", "tools"]),
        (kto, "outcome", ["prompt", "completion", "label", "tools"]),
    ],
)
def test_a_row_without_its_other_side_would_not_train(train, kind, columns, sample, tmp_path):
    """The seeded bad row."""
    rows = load(sample, kind, columns, tmp_path)
    broken = rows.remove_columns(columns[1])
    with pytest.raises(Exception):  # noqa: B017 - each trainer raises in its own way
        train(broken, tmp_path).train()
