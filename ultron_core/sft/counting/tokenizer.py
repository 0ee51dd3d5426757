"""Tokenizers of models from files on this machine: `tokenizer.json` of the byte-level BPE kind, and its chat template.

Qwen, Llama 3, GLM, gpt-oss and Nemotron are of that kind. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ultron_core.errors import InputError
from ultron_core.llm.tokens import token_counter
from ultron_core.sft.counting.template import Render, compiled

if TYPE_CHECKING:
    import tiktoken

__all__ = ["BUILT_IN", "RowCounter", "row_counter"]

#: tables that come with a package; the first is the default
BUILT_IN = ("cl100k_base", "o200k_base")
#: what GPT-2's tokenizer splits text by, and `ByteLevel` without a pattern of its own
_GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@dataclass(frozen=True, slots=True)
class RowCounter:
    """Tokens of a text, and of a whole row as its model's chat template writes it."""

    #: what the manifest says: the table's name, or the files' and their hash
    name: str
    count: Callable[[str], int]
    whole: Callable[[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]], int | None]

    def __call__(self, text: str) -> int:
        return self.count(text)


@lru_cache(maxsize=4)
def row_counter(setting: str) -> RowCounter:
    """By a built-in table's name, or by a tokenizer.json or a folder that holds one and perhaps a chat template.

    Raises InputError for a tokenizer that cannot be read.
    """
    if setting in BUILT_IN:
        return RowCounter(setting, token_counter(setting), lambda messages, tools: None)
    path = Path(setting).expanduser()
    path = path / "tokenizer.json" if path.is_dir() else path
    try:
        raw = path.read_bytes()
        template = _template(path.parent)
        table, normal = _encoding(path.parent.name, json.loads(raw))
        whole = _whole(table, normal, template)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"ULTRON_SFT_TOKENIZER: {path} cannot be read as a tokenizer: {error}.") from error
    digest = hashlib.sha256(raw + template.encode()).hexdigest()[:16]
    name = f"{path.parent.name}/{path.name} {digest}{' with its chat template' if template else ''}"
    return RowCounter(name, lambda text: len(table.encode_ordinary(normal(text))), whole)


def _whole(
    table: tiktoken.Encoding, normal: Callable[[str], str], template: str
) -> Callable[[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]], int | None]:
    render: Render | None = compiled(template) if template else None

    def count(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> int | None:
        text = render(messages, tools) if render else None
        return None if text is None else len(table.encode(normal(text), allowed_special="all"))

    return count


def _template(folder: Path) -> str:
    """`chat_template.jinja`, or the field of `tokenizer_config.json`; empty when there is neither."""
    if (folder / "chat_template.jinja").is_file():
        return (folder / "chat_template.jinja").read_text("utf-8")
    if not (folder / "tokenizer_config.json").is_file():
        return ""
    told = json.loads((folder / "tokenizer_config.json").read_text("utf-8")).get("chat_template") or ""
    if isinstance(told, list):
        named = {one["name"]: one["template"] for one in told}
        told = named.get("tool_use") or named["default"]
    return str(told)


def _encoding(name: str, told: Mapping[str, Any]) -> tuple[tiktoken.Encoding, Callable[[str], str]]:
    """tiktoken's encoding of the same vocabulary: its merges rank tokens as the file's list of merges does."""
    import tiktoken

    model = told["model"]
    pattern = _pattern(told.get("pre_tokenizer") or {})
    if model.get("type", "BPE") != "BPE" or not pattern:
        raise ValueError("only byte-level BPE is known, as Qwen, Llama 3, GLM and gpt-oss have it")
    letters = _letters()
    ranks = {bytes([value]): value for value in range(256)}
    for merge in model["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        ranks.setdefault(bytes(letters[letter] for letter in left + right), len(ranks))
    special = {
        one["content"]: len(ranks) + number for number, one in enumerate(told.get("added_tokens") or ())
    }
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    kind = (told.get("normalizer") or {}).get("type")
    if kind not in {None, "NFC"}:
        raise ValueError(f"the normalizer {kind} is not known")
    return encoding, (lambda text: unicodedata.normalize("NFC", text)) if kind == "NFC" else str


def _pattern(splitter: Mapping[str, Any]) -> str:
    """The pattern of a `ByteLevel`, or of one `Split` before it; empty for other kinds."""
    parts = splitter.get("pretokenizers", [splitter])
    kinds = [part.get("type") for part in parts]
    if kinds == ["ByteLevel"]:
        return _GPT2
    if kinds == ["Split", "ByteLevel"]:
        return str(parts[0]["pattern"].get("Regex", ""))
    return ""


def _letters() -> dict[str, int]:
    """The byte that each letter of a byte-level vocabulary stands for: printable ones for themselves."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [value for value in range(256) if value not in plain]
    return {chr(value): value for value in plain} | {chr(256 + i): value for i, value in enumerate(others)}
