"""LoRA by TRL and PEFT on a base from a folder of transformers or a .gguf file; on the GPU if there is one.

Their packages are imported where they are used: the module itself can be read without the extra.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ultron_core.errors import InputError
from ultron_core.training.progress import Tell
from ultron_core.training.records import Answer, Encoded, Recipe, RowRef
from ultron_core.training.torch_words import Words

__all__ = ["TorchLearner"]

#: of a row's tokens: no loss is computed on them
_IGNORED = -100
#: tokens of an answer: a call with a short argument has 20 to 60
_ANSWER_TOKENS = 96


class TorchLearner:
    """The base is loaded once; each training puts another adapter on it."""

    def __init__(self, base: Path) -> None:
        self._words, self._base = _load(base)
        self._model: Any = None
        self._put = self._device()
        self._base.to(self._put)

    @staticmethod
    def _device() -> str:
        import torch

        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"

    @property
    def device(self) -> str:
        import torch

        return f"cuda: {torch.cuda.get_device_name()}" if self._put == "cuda" else self._put

    def encode(self, ref: RowRef, row: Mapping[str, Any]) -> Encoded:
        return self._words.encode(ref, row)

    def decode(self, tokens: Sequence[int]) -> str:
        return str(self._words.tokenizer.decode(tokens))

    def start(self, recipe: Recipe, seed: int, parent: Path | None) -> None:
        from peft import LoraConfig, PeftModel, get_peft_model
        from transformers import set_seed

        if self._model is not None:
            self._base = self._model.unload()
        set_seed(seed)
        if parent is not None:
            self._model = PeftModel.from_pretrained(self._base, parent, is_trainable=True)
            return
        config = LoraConfig(
            r=recipe.rank,
            lora_alpha=2 * recipe.rank,
            lora_dropout=0.05,
            target_modules="all-linear",
            task_type="CAUSAL_LM",
        )
        self._model = get_peft_model(self._base, config)

    def train(self, rows: Sequence[Encoded], recipe: Recipe, seed: int, tell: Tell) -> float:
        import torch
        from transformers.trainer_callback import PrinterCallback
        from trl import SFTConfig, SFTTrainer

        steps = recipe.steps_for(len(rows))
        with tempfile.TemporaryDirectory() as scratch:
            settings = SFTConfig(
                output_dir=scratch,
                max_steps=steps,
                per_device_train_batch_size=1,
                gradient_accumulation_steps=recipe.batch,
                learning_rate=recipe.learning_rate,
                lr_scheduler_type="cosine",
                warmup_steps=steps // 20,
                max_length=None,
                dataset_kwargs={"skip_prepare_dataset": True},
                seed=seed,
                data_seed=seed,
                use_cpu=self._put == "cpu",
                bf16=self._put == "cuda" and torch.cuda.is_bf16_supported(),
                gradient_checkpointing=self._put == "cuda",
                report_to=[],
                save_strategy="no",
                logging_steps=1,
                disable_tqdm=True,
            )
            trainer = SFTTrainer(
                self._model,
                settings,
                train_dataset=_as_dataset(rows),
                processing_class=self._words.tokenizer,
                callbacks=[_teller(tell, steps)],
            )
            trainer.remove_callback(PrinterCallback)  # it prints to standard output
            return float(trainer.train().training_loss)

    def loss(self, row: Encoded) -> tuple[float, int]:
        import torch

        tokens, labels = _tensors(row)
        self._model.eval()
        with torch.no_grad():
            # the loss of a token is that of having foretold it: the first of a row is not foretold
            logits = self._model(input_ids=tokens[None].to(self._put)).logits[0, :-1].float()
            total = torch.nn.functional.cross_entropy(
                logits, labels[1:].to(self._put), ignore_index=_IGNORED, reduction="sum"
            )
        return float(total), int((labels[1:] != _IGNORED).sum())

    def answer(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Answer:
        import torch

        prompt = self._words.prompt(messages, tools).to(self._put)
        tokenizer = self._words.tokenizer
        self._model.eval()
        with torch.no_grad():
            made = self._model.generate(
                **prompt,
                max_new_tokens=_ANSWER_TOKENS,
                do_sample=False,
                eos_token_id=tokenizer.eos_token_id,
                pad_token_id=tokenizer.pad_token_id,
            )
        return self._words.read(made[0, prompt["input_ids"].shape[1] :].tolist())

    def save(self, folder: Path) -> None:
        self._model.save_pretrained(folder)
        self._words.tokenizer.save_pretrained(folder)


def _load(base: Path) -> tuple[Words, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    place, more = (base.parent, {"gguf_file": base.name}) if base.is_file() else (base, {})
    try:
        words = Words(AutoTokenizer.from_pretrained(place, local_files_only=True, **more))
        model = AutoModelForCausalLM.from_pretrained(place, local_files_only=True, **more)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise InputError(f"The base {base} cannot be loaded: {error}") from error
    return words, _plain(model) if more else model


def _plain(quantized: Any) -> Any:
    """The weights of a .gguf file in a fresh model: the loaded one counts as quantized and may not be trained."""
    from transformers import AutoModelForCausalLM

    config = quantized.config
    del config.quantization_config
    fresh = AutoModelForCausalLM.from_config(config)
    fresh.load_state_dict(quantized.state_dict())
    fresh.generation_config = quantized.generation_config
    return fresh


def _tensors(row: Encoded) -> tuple[Any, Any]:
    import torch

    tokens = torch.tensor(row.tokens)
    return tokens, torch.where(torch.tensor(row.trained), tokens, _IGNORED)


def _as_dataset(rows: Sequence[Encoded]) -> Any:
    from datasets import Dataset

    return Dataset.from_dict(
        {
            "input_ids": [list(row.tokens) for row in rows],
            "labels": [_tensors(row)[1].tolist() for row in rows],
        }
    )


def _teller(tell: Tell, steps: int) -> Any:
    """Tells each step with its loss. Made as a value: without the package there is no class to inherit from."""
    from transformers import TrainerCallback

    began = time.monotonic()

    def on_log(self: Any, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        if logs and "loss" in logs:
            each = (time.monotonic() - began) / max(1, state.global_step)
            tell(f"step {state.global_step} of {steps}, loss {float(logs['loss']):.4f}, {each:.1f} s a step")

    return type("Teller", (TrainerCallback,), {"on_log": on_log})()
