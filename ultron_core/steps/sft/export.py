"""Finished segments -> a published dataset. The same rows and settings give one and the same folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from ultron_core.errors import ExportError, InputError, NothingToExportError
from ultron_core.paths import below, check_folder_name
from ultron_core.sft import (
    BuildConfig,
    Built,
    Candidate,
    Caps,
    Checks,
    EvalIndex,
    Reject,
    Workers,
    build_rows,
    content_hash,
    counts_by_reason,
    dataset_problems,
    load_manifest,
    read_folder,
    verify_dataset,
    write_dataset,
)
from ultron_core.sft.counting.tokenizer import row_counter
from ultron_core.sft.draft import Drafted
from ultron_core.sft.files.flavours import FLAVOURS, FLAVOURS_OF
from ultron_core.sft.files.read import MANIFEST
from ultron_core.sft.files.write import SCHEMA_VERSION
from ultron_core.sft.records import EVIDENCE, Evidence, canonical_json
from ultron_core.sft.rules.files import file_problems
from ultron_core.steps.projects import checked_project
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.sft.candidates import Gate, candidates
from ultron_core.steps.sft.cleaning import CleanedRows, finishers_of, workers_of
from ultron_core.steps.sft.drafts import drafts_of
from ultron_core.steps.sft.elsewhere import bring_here, send_away
from ultron_core.steps.sft.recording import record
from ultron_core.store.tables import exports
from ultron_core.version import __version__

__all__ = ["Export", "ExportRequest", "Plan", "export_dataset", "export_rows", "plan_of"]


KINDS = ("sft", "preference", "outcome")


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to export; None means the configured value."""

    #: the folder; None is `ultron`, for other kinds `ultron-<kind>`
    name: str | None = None
    #: sft, preference or outcome
    kind: str = "sft"
    task_type: str | None = None
    min_quality_score: float | None = None
    limit: int | None = None
    out_dir: Path | None = None
    #: verified, likely or any
    evidence: str | None = None
    #: processes that clean rows; more than one only where the program can be started anew by its path
    workers: int = 1
    #: only what was done in this project
    project: str | None = None
    #: an export without rows is an error, and makes no folder
    refuse_empty: bool = False


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


@dataclass(frozen=True, slots=True)
class Plan:
    """A request with the settings filled in; `described` goes into the manifest and is hashed."""

    config: BuildConfig
    gate: Gate
    task_type: str | None
    project: str | None
    flavours: tuple[str, ...]
    eval_index: EvalIndex | None
    described: Mapping[str, Any]

    @property
    def digest(self) -> str:
        return hashlib.sha256(canonical_json([SCHEMA_VERSION, self.described]).encode()).hexdigest()


def export_dataset(
    runtime: Runtime, request: ExportRequest, progress: Callable[[int], None] | None = None
) -> Export:
    """Build, write, check and publish. Raises ExportError when a row violates a rule or files cannot be written."""
    if request.kind not in KINDS:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, not {request.kind!r}.")
    name = _name(request)
    plan = plan_of(runtime, request)
    built = _build(runtime, plan, request.workers, progress)
    if request.refuse_empty and not built.rows:
        raise NothingToExportError(_why_empty(counts_by_reason(built.rejects)))
    with finishers_of(runtime, plan.eval_index, built, request.workers) as hands:
        return _published(runtime, request, name, plan, built, hands)


def _published(
    runtime: Runtime, request: ExportRequest, name: str, plan: Plan, built: Built, hands: Workers[Checks]
) -> Export:
    """Written, checked and recorded, but for a dataset that the newest one already is."""
    folder = request.out_dir or runtime.settings.exports_dir
    with runtime.database.transaction() as conn:
        last = exports.newest(conn, runtime.account_id, name)
    if last is None:
        # there will be something to write
        hands.start()
    digest = content_hash(built.rows)
    if last:
        bring_here(runtime, Path(last["path"]))
    if last and _still_good(last, digest, plan.digest, folder / name):
        send_away(runtime, Path(last["path"]))
        export = _as_export(Path(last["path"]), last["manifest"], unchanged=True)
        # the rows are the same, but more may have been considered and left out since
        return replace(export, rejects=counts_by_reason(built.rejects))
    now = runtime.clock()
    version = f"{now:%Y%m%d}-{digest[:8]}-{plan.digest[:4]}"
    target = below(folder, name, version)
    manifest: dict[str, Any] = {
        "name": name,
        "kind": request.kind,
        "version": version,
        "created_at": now.isoformat(),
        "ultron_version": __version__,
        "account_id": runtime.account_id,
        "config": plan.described,
        "config_sha256": plan.digest,
        "tokenizer": plan.described["tokenizer"],
        "evaluation_files": dict(plan.eval_index.files) if plan.eval_index else {},
    }
    if target.exists():
        if problems := verify_dataset(target, tokenizer=runtime.settings.sft.tokenizer):
            raise ExportError(
                f"{target} exists but is not complete ({problems[0]}). Remove it and export again."
            )
    else:
        checks = hands.tools
        manifest = write_dataset(
            target,
            built,
            manifest,
            flavours=plan.flavours,
            check=lambda work: dataset_problems(work, checks, hands),
            workers=hands,
        )
    send_away(runtime, target)
    record(runtime, target, built, digest, manifest)
    return _as_export(target, manifest, unchanged=False)


def _name(request: ExportRequest) -> str:
    name = request.name
    if name is None:
        name = "ultron" if request.kind == "sft" else f"ultron-{request.kind}"
    if not name or not name.isprintable():
        raise InputError(f"dataset name {name!r} is not valid: use a plain folder name.")
    check_folder_name("dataset name", name)
    return name


def _why_empty(rejects: Mapping[str, int]) -> str:
    if not rejects:
        return "No row to export: no finished task fits the request. `ultron stats` says what there is."
    reasons = ", ".join(f"{count} {reason}" for reason, count in rejects.items())
    return (
        f"No row to export: left out {reasons}. docs/sft.md explains the reasons; `--evidence any` takes runs of "
        "unknown end, and `ultron outcomes FILE` imports how they ended."
    )


def export_rows(
    runtime: Runtime,
    *,
    task_type: str | None = None,
    min_quality_score: float | None = None,
    limit: int | None = None,
    project: str | None = None,
) -> list[dict[str, Any]]:
    """The rows alone, best first: `{id, messages, tools, topic, task_type, quality_score, origin, trust}`."""
    request = ExportRequest(
        task_type=task_type, min_quality_score=min_quality_score, limit=limit, project=project
    )
    built = _build(runtime, plan_of(runtime, request), workers=1)
    runs = (run for row in built.rows for run in row.sides)
    ordered = sorted(runs, key=lambda row: (-row.quality_score, row.id))
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


def plan_of(runtime: Runtime, request: ExportRequest) -> Plan:
    """The request with the settings filled in. Raises InputError for values that make no sense."""
    sft = runtime.settings.sft
    if request.limit is not None and request.limit < 0:
        raise InputError(f"limit must not be negative, not {request.limit}.")
    threshold = request.min_quality_score
    if threshold is None:
        threshold = runtime.settings.labels.sft_score_threshold
    evidence = _evidence(request.evidence or sft.evidence)
    project = None if request.project is None else checked_project(runtime, request.project)
    config = BuildConfig(
        kind=request.kind,
        limit=sft.limit if request.limit is None else request.limit,
        max_tokens=sft.max_tokens,
        tool_output_max_tokens=sft.tool_output_max_tokens,
        validation_share=sft.validation_share,
        reasoning=sft.reasoning,
        near_duplicate_jaccard=sft.near_duplicate_jaccard,
        parallel_calls=sft.parallel_calls,
        bad_turns=sft.bad_turns,
        caps=Caps(sft.most_per_session, sft.most_per_task, sft.most_per_task_type, sft.most_per_meaning),
        same_meaning_cosine=sft.same_meaning_cosine,
        pairs_per_task=sft.pairs_per_task,
    )
    eval_index = _eval_index(sft.eval_dir, sft.eval_fields)
    flavours = tuple(name for name in _flavours(sft.flavours) if name in FLAVOURS_OF[request.kind])
    described = {
        **asdict(config),
        "min_quality_score": threshold,
        "task_type": request.task_type,
        "project": project,
        "evidence": list(evidence),
        "likely_from": sft.likely_from,
        "flavours": list(flavours),
        "evaluation": dict(eval_index.files) if eval_index else {},
        "tokenizer": row_counter(sft.tokenizer).name,
        "schema": SCHEMA_VERSION,
    }
    left_out = _listed(sft.leave_out_projects), _listed(sft.leave_out_agents)
    if config.caps.meaning:
        described["embedder"] = runtime.embedder.model_id
    if any(left_out):
        # names stay in the house: the manifest goes along when the dataset is published
        told = canonical_json([sorted(names) for names in left_out])
        described["left_out"] = hashlib.sha256(told.encode()).hexdigest()[:16]
    gate = Gate(threshold, evidence, sft.likely_from, request.kind, *left_out)
    return Plan(config, gate, request.task_type, project, flavours, eval_index, described)


def _listed(names: str) -> frozenset[str]:
    return frozenset(name.strip() for name in names.split(",") if name.strip())


def _evidence(least: str) -> tuple[Evidence, ...]:
    """Everything that is at least as well known as `least`."""
    least = {"any": "unknown"}.get(least, least)
    if least not in EVIDENCE:
        raise InputError(f"evidence must be verified, likely or any, not {least!r}.")
    return tuple(EVIDENCE[: [str(kind) for kind in EVIDENCE].index(least) + 1])


def _flavours(listed: str) -> tuple[str, ...]:
    names = tuple(sorted({name.strip() for name in listed.split(",") if name.strip()}))
    if unknown := [name for name in names if name not in FLAVOURS]:
        raise InputError(f"ULTRON_SFT_FLAVOURS: {unknown[0]!r} is none of {', '.join(sorted(FLAVOURS))}.")
    return names


def _build(
    runtime: Runtime, plan: Plan, workers: int, progress: Callable[[int], None] | None = None
) -> Built:
    with workers_of(runtime, plan.eval_index, workers) as hands:
        drafts = drafts_of(
            runtime,
            plan.config,
            plan.gate,
            plan.eval_index,
            plan.described["tokenizer"],
            partial(_read, runtime, plan),
        )
        found = candidates(runtime, plan.gate, plan.task_type, plan.project, drafts=drafts)
        return build_rows(
            found, plan.config, hands, progress, CleanedRows(runtime), drafts, runtime.embedder.embed
        )


def _read(runtime: Runtime, plan: Plan, segments: Sequence[UUID]) -> Iterator[Candidate | Drafted | Reject]:
    return candidates(runtime, plan.gate, segments=segments)


def _eval_index(folder: Path | None, fields: str) -> EvalIndex | None:
    if folder is None:
        return None
    if not folder.is_dir():
        raise InputError(f"ULTRON_SFT_EVAL_DIR: {folder} is not a folder.")
    try:
        return read_folder(folder, [name.strip() for name in fields.split(",") if name.strip()])
    except ValueError as error:
        raise InputError(f"ULTRON_SFT_EVAL_DIR: {error}; see ULTRON_SFT_EVAL_FIELDS.") from error


def _still_good(last: dict[str, Any], digest: str, settings_hash: str, folder: Path) -> bool:
    """The folder is byte for byte what was checked when it was published."""
    path, manifest = Path(last["path"]), last["manifest"]
    same = last["content_hash"] == digest and manifest.get("config_sha256") == settings_hash
    if not same or path.parent != folder.resolve() or not (path / MANIFEST).is_file():
        return False
    return load_manifest(path) == manifest and not any(file_problems(path, manifest, own=MANIFEST))


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
