"""What earlier exports drafted of a segment: its messages are read again only when something of it has changed."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

import numpy as np
import orjson

from ultron_core.sft.config import BuildConfig
from ultron_core.sft.curate.decontaminate import EvalIndex
from ultron_core.sft.draft import DRAFT_VERSION, Drafted
from ultron_core.sft.records import Candidate, Reject, Row
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import exports
from ultron_core.version import __version__

__all__ = ["Drafts", "drafts_of"]

#: what a draft depends on besides the rules: the log by its hash, the segment's place in it, its label, its outcome
_COLUMNS = (
    *("id", "agent_id", "session_file", "thread", "start_message", "end_message", "start_line", "end_line"),
    *("topic", "quality_metrics", "content_sha256", "parser_version", "harness", "format", "cwd", "project"),
    *("known_success", "known_task", "account_id", "session_id"),
)
#: of a row before it is cleaned; its texts come from the log, or cleaned from `sft_cleaned`
_TEXTS = ("messages", "tools")
_KEPT = tuple(f.name for f in fields(Row) if f.name not in _TEXTS)


@dataclass(frozen=True, slots=True)
class Drafts:
    """Drafts in the table `sft_drafted`, under one set of rules; each call is a transaction of its own."""

    runtime: Runtime
    rules: bytes
    #: candidates of these segments, from their logs
    read: Callable[[Sequence[UUID]], Iterable[Candidate | Drafted | Reject]]

    def source(self, row: Mapping[str, Any]) -> bytes:
        """Hash of what the draft of a finished segment is made from."""
        told = orjson.dumps([row[name] for name in _COLUMNS], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(self.rules + told).digest()

    def recall(self, sources: Mapping[str, bytes]) -> dict[str, Drafted | Reject]:
        """By segment, where nothing has changed."""
        if not sources:
            return {}
        with self.runtime.database.transaction() as conn:
            found = exports.recall_drafted(conn, self.runtime.account_id, sources)
        return {str(row["segment_id"]): _restored(row) for row in found}

    def remember(self, made: Sequence[tuple[bytes, Drafted | Reject]]) -> None:
        """Each draft or reject with its source."""
        entries = [_stored(source, one) for source, one in made if source]
        if entries:
            account = self.runtime.account_id
            self.runtime.database.run(lambda conn: exports.remember_drafted(conn, account, entries))

    def reread(self, segments: Sequence[str]) -> Iterable[Candidate | Drafted | Reject]:
        """The candidates that the drafts were made of."""
        return self.read([UUID(segment) for segment in segments])


def drafts_of(
    runtime: Runtime,
    config: BuildConfig,
    gate: object,
    evaluation: EvalIndex | None,
    tokenizer: str,
    read: Callable[[Sequence[UUID]], Iterable[Candidate | Drafted | Reject]],
) -> Drafts | None:
    """None for pairs: corrected answers are looked for in the text of every run."""
    if config.kind == "preference":
        return None
    sft = runtime.settings.sft
    told = (
        *(__version__, DRAFT_VERSION, tokenizer, runtime.redactor.version, sft.salt, sft.eval_fields),
        *(config.of_drafts, repr(gate), sorted(evaluation.files.items()) if evaluation else []),
    )
    return Drafts(runtime, hashlib.sha256(repr(told).encode()).digest(), read)


def _stored(source: bytes, made: Drafted | Reject) -> tuple[str, bytes, bytes, bytes, bytes]:
    if isinstance(made, Reject):
        told = [made.reason, made.detail, made.quality_score, made.task_type]
        return made.segment_id, source, orjson.dumps(told), b"", b""
    row = pickle.loads(made.row)
    columns = {name: getattr(row, name) for name in _KEPT}
    told_row = orjson.dumps({"length": made.length, "row": columns})
    return made.id, source, told_row, made.keys.tobytes(), made.shingles


def _restored(found: Mapping[str, Any]) -> Drafted | Reject:
    told = orjson.loads(found["drafted"])
    if isinstance(told, list):
        return Reject(str(found["segment_id"]), *told)
    row = Row(messages=(), tools=(), **told["row"])
    keys = np.frombuffer(found["keys"], np.uint32)
    return Drafted.of(row, told["length"], keys, found["shingles"])
