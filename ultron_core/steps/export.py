"""Eligible segments -> a published dataset. The same rows and settings give one and the same folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ultron_core.errors import ExportError, InputError
from ultron_core.labels import is_sft_eligible
from ultron_core.llm.tokens import token_counter
from ultron_core.models import QualityLabel
from ultron_core.redaction import find_secrets
from ultron_core.sft import (
    BuildConfig,
    Built,
    Candidate,
    EvalIndex,
    Reject,
    build_index,
    build_rows,
    content_hash,
    counts_by_reason,
    validate_rows,
    verify_dataset,
    write_dataset,
)
from ultron_core.sft.write import SCHEMA_VERSION
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import exports
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow
from ultron_core.version import __version__

__all__ = ["Export", "ExportRequest", "export_dataset", "export_rows"]

_TOKENIZER = "cl100k_base"


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to export; None means the configured value."""

    name: str = "ultron"
    task_type: str | None = None
    min_quality_score: float | None = None
    limit: int | None = None
    out_dir: Path | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """A published dataset. `unchanged`: the newest one already holds exactly these rows."""

    path: Path
    version: str
    rows: int
    train_rows: int
    validation_rows: int
    rejects: Mapping[str, int]
    content_hash: str
    report: str
    unchanged: bool


def export_dataset(
    runtime: Runtime, request: ExportRequest, progress: Callable[[int, int], None] | None = None
) -> Export:
    """Build, validate and publish. Raises ExportError when a row violates a rule or the files cannot be written."""
    if not request.name or "/" in request.name or request.name.startswith("."):
        raise InputError(f"dataset name {request.name!r} is not valid: use a plain folder name.")
    built, config = _build(runtime, request, progress)
    if problems := validate_rows(built.rows):
        raise ExportError(f"{len(problems)} violation(s) found, nothing was published. First: {problems[0]}")
    digest = content_hash(built.rows)
    settings_hash = hashlib.sha256(repr([SCHEMA_VERSION, *sorted(config.items())]).encode()).hexdigest()
    folder = request.out_dir or runtime.settings.exports_dir
    with runtime.database.transaction() as conn:
        last = exports.newest(conn, runtime.account_id, request.name)
    if last and _still_good(last, digest, settings_hash, folder / request.name):
        export = _as_export(Path(last["path"]), last["manifest"], unchanged=True)
        # the rows are the same, but more may have been considered and left out since
        return replace(export, rejects=counts_by_reason(built.rejects))
    now = runtime.clock()
    version = f"{now:%Y%m%d}-{digest[:8]}-{settings_hash[:4]}"
    target = (folder / request.name / version).resolve()
    manifest = {
        "name": request.name,
        "version": version,
        "created_at": now.isoformat(),
        "ultron_version": __version__,
        "account_id": runtime.account_id,
        "config": config,
        "config_sha256": settings_hash,
        "tokenizer": _TOKENIZER,
    }
    if target.exists():
        if problems := verify_dataset(target):
            raise ExportError(
                f"{target} exists but is not complete ({problems[0]}). Remove it and export again."
            )
    else:
        manifest = write_dataset(target, built, manifest)
    _record(runtime, target, built, manifest)
    return _as_export(target, manifest, unchanged=False)


def export_rows(
    runtime: Runtime,
    *,
    task_type: str | None = None,
    min_quality_score: float | None = None,
    limit: int | None = None,
) -> list[dict[str, Any]]:
    """The rows alone, best first, as `{id, messages, tools, topic, task_type, quality_score, origin, trust}`."""
    request = ExportRequest(task_type=task_type, min_quality_score=min_quality_score, limit=limit)
    built, _ = _build(runtime, request, None)
    ordered = sorted(built.rows, key=lambda row: (-row.quality_score, row.id))
    return [
        {
            "id": row.id,
            "messages": [dict(m) for m in row.messages],
            "tools": [dict(t) for t in row.tools],
            "topic": row.topic,
            "task_type": row.task_type,
            "quality_score": row.quality_score,
            "origin": row.origin,
            "trust": row.trust,
        }
        for row in ordered
    ]


def _build(
    runtime: Runtime, request: ExportRequest, progress: Callable[[int, int], None] | None
) -> tuple[Built, dict[str, Any]]:
    sft = runtime.settings.sft
    if request.limit is not None and request.limit < 0:
        raise InputError(f"limit must not be negative, not {request.limit}.")
    threshold = request.min_quality_score
    if threshold is None:
        threshold = runtime.settings.labels.sft_score_threshold
    config = BuildConfig(
        limit=sft.limit if request.limit is None else request.limit,
        max_tokens=sft.max_tokens,
        tool_output_max_tokens=sft.tool_output_max_tokens,
        validation_share=sft.validation_share,
        reasoning=sft.reasoning,
    )
    candidates, refused = _candidates(runtime, threshold, request.task_type)
    built = build_rows(
        candidates,
        config,
        redact=lambda value: runtime.redactor.redact_json(value)[0],
        has_secret=lambda text: bool(find_secrets(text)),
        count_tokens=token_counter(_TOKENIZER),
        eval_index=_eval_index(sft.eval_dir),
        progress=progress,
    )
    rejects = tuple(sorted((*refused, *built.rejects), key=lambda r: r.segment_id))
    described = {f: getattr(config, f) for f in config.__dataclass_fields__}
    described |= {"min_quality_score": threshold, "task_type": request.task_type}
    return Built(built.rows, rejects), described


def _candidates(
    runtime: Runtime, threshold: float, task_type: str | None
) -> tuple[list[Candidate], list[Reject]]:
    with runtime.database.transaction() as conn:
        rows = segment_store.fetch(
            conn,
            "sft_candidates",
            {"account_id": runtime.account_id, "min_score": threshold, "task_type": task_type},
        )
    candidates: list[Candidate] = []
    refused: list[Reject] = []
    for row in rows:
        label = QualityLabel.from_json(row["quality_metrics"])
        eligible = is_sft_eligible(label, threshold)
        if eligible.ok:
            candidates.append(_candidate(runtime, row, label))
        else:
            summary = label.summary
            reject = Reject(str(row["id"]), eligible.reason, "", summary.overall_score, summary.task_type)
            refused.append(reject)
    return candidates, refused


def _candidate(runtime: Runtime, row: dict[str, Any], label: QualityLabel) -> Candidate:
    segment = SegmentRow.from_row(row)
    with runtime.database.transaction() as conn:
        messages = session_store.load_thread(
            conn,
            runtime.account_id,
            segment.session_id,
            segment.thread,
            segment.start_message,
            segment.end_message,
        )
    log = f"{segment.account_id}/{segment.agent_id}/{segment.session_file}"
    return Candidate(
        segment_id=str(segment.id),
        messages=tuple(messages),
        label=label,
        topic=segment.topic,
        tools=tuple(row["tools"] or ()),
        harness=row["harness"] or row["format"],
        session_key=hashlib.sha256(f"ultron/{log}".encode()).hexdigest()[:16],
        agent_id=segment.agent_id,
        session_id=str(segment.session_id),
        start_line=segment.start_line,
        end_line=segment.end_line,
        redaction_version=runtime.redactor.version,
    )


def _eval_index(folder: Path | None) -> EvalIndex | None:
    if folder is None:
        return None
    if not folder.is_dir():
        raise InputError(f"ULTRON_SFT_EVAL_DIR: {folder} is not a folder.")
    return build_index(_eval_texts(folder))


def _eval_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """One text per line of each .txt and .jsonl file."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".txt", ".jsonl"} and path.is_file():
            for line in path.read_text("utf-8", errors="replace").splitlines():
                yield path.stem, line


def _still_good(last: dict[str, Any], digest: str, settings_hash: str, folder: Path) -> bool:
    path = Path(last["path"])
    same = last["content_hash"] == digest and last["manifest"].get("config_sha256") == settings_hash
    return same and path.parent == folder.resolve() and not verify_dataset(path)


def _record(runtime: Runtime, target: Path, built: Built, manifest: Mapping[str, Any]) -> None:
    values = {
        "account_id": runtime.account_id,
        "name": manifest["name"],
        "version": manifest["version"],
        "path": str(target),
        "content_hash": content_hash(built.rows),
        "manifest": dict(manifest),
        "rows": len(built.rows),
        "now": runtime.clock(),
    }
    rows = [
        {
            "segment_id": row.id,
            "account_id": runtime.account_id,
            "agent_id": row.agent_id,
            "session_id": row.session_id,
            "start_line": row.start_line,
            "end_line": row.end_line,
            "content_sha256": row.content_sha256,
            "split": row.split,
        }
        for row in built.rows
    ]
    runtime.database.run(lambda conn: exports.insert(conn, values, rows))


def _as_export(path: Path, manifest: Mapping[str, Any], *, unchanged: bool) -> Export:
    report = (path / "report.md").read_text("utf-8") if (path / "report.md").is_file() else ""
    return Export(
        path=path,
        version=manifest["version"],
        rows=manifest["rows"],
        train_rows=manifest["splits"]["train"],
        validation_rows=manifest["splits"]["validation"],
        rejects=manifest["rejects"],
        content_hash=manifest["content_hash"],
        report=report,
        unchanged=unchanged,
    )
