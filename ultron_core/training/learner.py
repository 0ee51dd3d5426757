"""What a run needs of a model, whatever stands behind it, and where the one that needs torch comes from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from ultron_core.errors import InputError
from ultron_core.sft.rules.files import hash_of
from ultron_core.training.progress import Tell
from ultron_core.training.records import Answer, Encoded, Recipe, RowRef

__all__ = ["Learner", "MakeLearner", "base_hash", "check_installed", "load_learner"]

_NEEDED = ("torch", "transformers", "peft", "trl", "datasets", "accelerate")
#: files of a model's folder that decide what it says
_WEIGHTS_AND_WORDS = {".safetensors", ".bin", ".json", ".jinja", ".model", ".txt", ".gguf"}


class Learner(Protocol):
    """A base model with an adapter on it."""

    @property
    def device(self) -> str: ...

    def encode(self, ref: RowRef, row: Mapping[str, Any]) -> Encoded:
        """The row by the base's chat template. Raises InputError where that cannot write it."""
        ...

    def decode(self, tokens: Sequence[int]) -> str: ...

    def start(self, recipe: Recipe, seed: int, parent: Path | None) -> None:
        """A new adapter that changes nothing yet, or the parent's; the one before is dropped."""
        ...

    def train(self, rows: Sequence[Encoded], recipe: Recipe, seed: int, tell: Tell) -> float:
        """Returns the mean loss of the training."""
        ...

    def loss(self, row: Encoded) -> tuple[float, int]:
        """(sum, number) over the row's trained tokens."""
        ...

    def answer(self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Answer:
        """What the model says next; always the same."""
        ...

    def save(self, folder: Path) -> None: ...


#: (base) -> the learner; raises InputError for a base that cannot be loaded
MakeLearner = Callable[[Path], Learner]


def check_installed() -> None:
    """Raises InputError when the packages of the extra `train` are missing."""
    if missing := [name for name in _NEEDED if find_spec(name) is None]:
        raise InputError(
            f"Training needs {', '.join(missing)}: install `ultron-memory[train]` (docs/dependencies.md says how)."
        )


def load_learner(base: Path) -> Learner:
    """The one of TRL and PEFT. Raises InputError when they are not installed."""
    check_installed()
    from ultron_core.training.torch_learner import TorchLearner

    return TorchLearner(base)


def base_hash(base: Path) -> str:
    """Identity of a base model: a .gguf file, or the files of a folder. Raises InputError when there is none."""
    files = [base] if base.is_file() else sorted(p for p in base.glob("*") if p.suffix in _WEIGHTS_AND_WORDS)
    if not any(path.suffix in {".safetensors", ".bin", ".gguf"} for path in files):
        raise InputError(f"{base} is no model: give a .gguf file, or a folder with config.json and weights.")
    told = "\n".join(f"{path.name} {hash_of(path)}" for path in files)
    return hashlib.sha256(told.encode()).hexdigest()
