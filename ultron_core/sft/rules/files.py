"""Rules 3, 4, 12, 14 and 20 on the files of a dataset folder."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ultron_core.sft.kinds.runs import JSON_COLUMNS_OF

__all__ = ["RESERVED", "file_problems", "flavour_problems", "hash_of", "schema_problems"]

#: column names that make a trainer or reader take another path: TRL (`prompt`), datasets' detection of raw traces
#: (`id, source, model, system_prompt`), Together (`text` beside `messages`)
RESERVED = frozenset((
    "assistant_masks", "audios", "channel", "chat_template_kwargs", "chosen", "completion", "completion_mask",
    "conversations", "images", "input", "input_ids", "label", "labels", "model", "output", "prompt", "query",
    "rejected", "response", "source", "system", "system_prompt", "text", "videos",
))  # fmt: skip


def schema_problems(path: Path, kind: str = "sft") -> Iterator[str]:
    """Columns of one canonical Parquet file."""
    import pyarrow.parquet as pq  # 40 MB that a process without files to read need not hold

    schema = pq.read_schema(path)
    for name in JSON_COLUMNS_OF[kind]:
        if name not in schema.names or not re.fullmatch(r"list<.*json.*>", str(schema.field(name).type)):
            yield f"rule 3: {path.name}: {name} is not a list of JSON"
    # the readers of pairs and of outcomes look for these very names
    meant = set() if kind == "sft" else {*JSON_COLUMNS_OF[kind], "label"}
    for name in sorted((RESERVED - meant) & set(schema.names)):
        yield f"rule 14: {path.name}: column {name} is reserved"


def flavour_problems(path: Path, line: str | None, row: Mapping[str, Any] | None) -> Iterator[str]:
    """One line of a JSONL file and its row: only strings where its reader wants them, no text of the model lost."""
    where = f"flavours/{path.parent.name}/{path.name}"
    if not line or row is None:
        if line or row is not None:
            yield f"rule 20: {where}: not as many lines as rows"
        return
    value = json.loads(line)
    if not _only_strings(path.parent.name, value):
        yield f"rule 4: {where}: {row['id']}: a value that is not a string"
    elif path.parent.name == "llamafactory" and (lost := _lost_text(value, row)):
        yield f"rule 12: {where}: {row['id']}: the text beside a call is lost: {lost[:60]}"


def _only_strings(flavour: str, value: Mapping[str, Any]) -> bool:
    if flavour == "llamafactory":
        turns = all(set(map(type, turn.values())) == {str} for turn in value["conversations"])
        return turns and isinstance(value["system"], str) and isinstance(value["tools"], str)
    said = [*value["messages"], *value.get("rejected_messages", ())]
    calls = [call["function"] for message in said for call in message.get("tool_calls", ())]
    strings = all(isinstance(call["arguments"], str) for call in calls)
    if flavour == "openai":
        return strings
    return strings and isinstance(value.get("tools", ""), str)


def _lost_text(value: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """What of the model's texts stands in no turn of the model; `<` may be set apart."""
    said = " ".join(t["value"] for t in value["conversations"] if t["from"] in {"gpt", "function_call"})
    said = said.replace("< ", "<")
    texts = (m["content"] for m in row["messages"] if m["role"] == "assistant")
    return next((text for text in texts if text.replace("< ", "<") not in said), "")


def file_problems(folder: Path, manifest: Mapping[str, Any], *, own: str) -> Iterator[str]:
    """Every file is listed with its hash, and the counts of the manifest add up."""
    listed = manifest["files"]
    for name, facts in listed.items():
        path = folder / name
        if not path.is_file():
            yield f"rule 20: {name} is missing"
        elif hash_of(path) != facts["sha256"]:
            yield f"rule 20: {name} does not match its hash in the manifest"
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    for name in sorted(found - set(listed) - {own}):
        yield f"rule 20: {name} is not in the manifest"
    rejected = sum(manifest["rejects"].values())
    shipped = manifest.get("segments", manifest["rows"])
    if manifest["considered"] != shipped + rejected:
        yield f"rule 20: {manifest['considered']} considered, but {shipped} shipped and {rejected} left out"


def hash_of(path: Path) -> str:
    """SHA-256 of a file, read in pieces."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
