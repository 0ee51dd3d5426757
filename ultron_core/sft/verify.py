"""Is a dataset folder still what its manifest says, and does it keep all 21 rules? Needs no database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ultron_core.errors import ExportError
from ultron_core.llm.tokens import token_counter
from ultron_core.redaction import find_secrets
from ultron_core.sft.curate.decontaminate import EvalIndex
from ultron_core.sft.records import Scanned
from ultron_core.sft.rules.dataset import Checks, dataset_problems

__all__ = ["TOKENIZER", "default_checks", "has_secret", "verify_dataset"]

#: of the token counts; its tables come with a package, so that nothing is downloaded
TOKENIZER = "cl100k_base"


def default_checks(
    eval_index: EvalIndex | None = None, scanned: Mapping[str, Scanned] = MappingProxyType({})
) -> Checks:
    """Token counts by the tokenizer of the export, secrets by the patterns alone."""
    return Checks(token_counter(TOKENIZER), has_secret, eval_index, scanned)


def has_secret(text: str) -> bool:
    """The second look at a redacted row."""
    return bool(find_secrets(text))


def verify_dataset(folder: Path, eval_index: EvalIndex | None = None) -> list[str]:
    """All violations; empty when every byte, count and row is right."""
    try:
        return dataset_problems(folder, default_checks(eval_index))
    except ExportError as error:
        return [str(error)]
