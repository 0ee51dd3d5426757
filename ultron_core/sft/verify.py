"""Is a dataset folder still what its manifest says, and does it keep all 21 rules? Needs no database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ultron_core.errors import ExportError
from ultron_core.redaction import find_secrets
from ultron_core.sft.counting.tokenizer import BUILT_IN, row_counter
from ultron_core.sft.curate.decontaminate import EvalIndex
from ultron_core.sft.files.read import load_manifest
from ultron_core.sft.records import Scanned
from ultron_core.sft.rules.dataset import Checks, dataset_problems

__all__ = ["TOKENIZER", "default_checks", "has_secret", "verify_dataset"]

#: of the token counts; its tables come with a package, so that nothing is downloaded
TOKENIZER = BUILT_IN[0]


def default_checks(
    eval_index: EvalIndex | None = None,
    scanned: Mapping[str, Scanned] = MappingProxyType({}),
    tokenizer: str = TOKENIZER,
) -> Checks:
    """Token counts by the tokenizer of the export, secrets by the patterns alone."""
    return Checks(row_counter(tokenizer), has_secret, eval_index, scanned)


def has_secret(text: str) -> bool:
    """The second look at a redacted row."""
    return bool(find_secrets(text))


def verify_dataset(
    folder: Path, eval_index: EvalIndex | None = None, tokenizer: str = TOKENIZER
) -> list[str]:
    """All violations; empty when every byte, count and row is right.

    `tokenizer` is the setting: of a tokenizer from files the manifest has the hash, not the place.
    """
    try:
        told = load_manifest(folder).get("tokenizer", TOKENIZER)
        name = told if told in BUILT_IN else tokenizer
        if row_counter(name).name != told:
            return [f"rule 16: tokens are counted by {told}; set ULTRON_SFT_TOKENIZER to where it is"]
        return dataset_problems(folder, default_checks(eval_index, tokenizer=name))
    except ExportError as error:
        return [str(error)]
