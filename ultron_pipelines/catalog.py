"""What the catalogue says of every asset: owners, tags, columns, docs, code, and how old it may become."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import dagster as dg

from ultron_core.settings import Settings

__all__ = ["Entry", "catalogued", "column_schemas"]

_ROOT = Path(__file__).resolve().parents[1]
_COLUMNS = Path(__file__).with_name("columns.toml")
#: a week without a single new log is worth a look, two days are a weekend
_QUIET = (timedelta(days=7), timedelta(days=2))
#: an asset that is made every few hours is late when it was left out once, and overdue after four times
_LATE, _OVERDUE = 2, 4


@dataclass(frozen=True, slots=True)
class Entry:
    """Where an asset is described and made: a page of the docs, its modules, whether it calls models."""

    page: str
    code: tuple[str, ...]
    model: bool = False


_ENTRIES: Mapping[str, Entry] = {
    "session_files": Entry("docs/formats.md", ("assets/sessions.py", "steps/files/ingest.py")),
    "segments": Entry("docs/segmentation.md", ("assets/segments.py", "steps/stages/segment.py"), True),
    "quality_labels": Entry("docs/quality.md", ("assets/labels.py", "steps/stages/label.py"), True),
    "extracted_memories": Entry("docs/memories.md", ("assets/memories.py", "steps/stages/extract.py"), True),
    "message_windows": Entry("docs/memory-store.md", ("assets/windows.py", "steps/search/windows.py")),
    "tier_assignments": Entry("docs/memory-store.md", ("assets/tiers.py", "steps/upkeep/tiers.py")),
    "clusters": Entry("docs/memory-store.md", ("assets/clusters.py", "steps/clusters/reshape.py")),
    "sft_dataset": Entry("docs/sft.md", ("assets/sft.py", "steps/sft/export.py")),
    "sft_training": Entry("docs/training.md", ("assets/training.py", "steps/training/run.py")),
    "pipeline_summary": Entry("docs/data-path.md", ("assets/summary.py", "steps/audit/totals.py")),
}


def catalogued(asset: dg.AssetsDefinition, settings: Settings) -> dg.AssetsDefinition:
    """The asset with its entry. Raises KeyError for one that has none."""

    def described(spec: dg.AssetSpec) -> dg.AssetSpec:
        name = spec.key.to_user_string()
        entry = _ENTRIES[name]
        model = "asked" if entry.model and settings.llm.enabled else "none"
        return spec.replace_attributes(
            owners=settings.runs.owner_list,
            tags={**spec.tags, "ultron/room": spec.group_name or "", "ultron/model": model},
            freshness_policy=_freshness(name, settings),
        ).merge_attributes(metadata=_metadata(name, entry, settings.runs.code_url))

    return asset.map_asset_specs(described)


def _metadata(name: str, entry: Entry, base: str | None) -> dict[str, Any]:
    paths = [_repository_path(path) for path in entry.code]
    shown: dict[str, Any] = {
        "docs": dg.MetadataValue.url(f"{base.rstrip('/')}/{entry.page}") if base else entry.page,
        "dagster/code_references": dg.CodeReferencesMetadataValue(
            code_references=[_reference(path, base) for path in paths]
        ),
    }
    if name in (schemas := column_schemas()):
        table, schema = schemas[name]
        shown |= {"dagster/table_name": table, "dagster/column_schema": schema}
    return shown


def _repository_path(path: str) -> str:
    return f"ultron_pipelines/{path}" if path.startswith("assets/") else f"ultron_core/{path}"


def _reference(path: str, base: str | None) -> dg.UrlCodeReference | dg.LocalFileCodeReference:
    if base:
        return dg.UrlCodeReference(url=f"{base.rstrip('/')}/{path}", label=path)
    return dg.LocalFileCodeReference(file_path=str(_ROOT / path), line_number=1, label=path)


def column_schemas() -> Mapping[str, tuple[str, dg.TableSchema]]:
    """The main table of an asset and its columns, by asset."""
    tables = tomllib.loads(_COLUMNS.read_text("utf-8"))
    return {
        asset: (
            told["table"],
            dg.TableSchema([dg.TableColumn(name, kind, about) for name, kind, about in told["columns"]]),
        )
        for asset, told in tables.items()
    }


def _freshness(name: str, settings: Settings) -> dg.FreshnessPolicy:
    """By the interval of its schedule; what new logs bring may be quiet for longer."""
    hours = {
        "tier_assignments": settings.tiers.decay_interval_hours,
        "clusters": settings.tiers.decay_interval_hours,
        "sft_dataset": settings.sft.interval_hours,
        "pipeline_summary": settings.runs.checks_interval_hours,
    }.get(name)
    fail, warn = _QUIET if hours is None else (timedelta(hours=n * hours) for n in (_OVERDUE, _LATE))
    return dg.FreshnessPolicy.time_window(fail_window=fail, warn_window=warn)
