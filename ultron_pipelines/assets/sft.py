"""`sft_dataset`: the training set as Parquet and JSONL with a manifest, reproducible from the stored rows."""

import dagster as dg
from pydantic import Field

from ultron_core.steps.sft.export import ExportRequest, export_dataset
from ultron_pipelines.frames import frame_table, refused, shipped
from ultron_pipelines.resources import UltronResource

__all__ = ["SftConfig", "sft_dataset"]


class SftConfig(dg.Config):
    """What to export; the defaults export everything eligible."""

    name: str | None = Field(
        default=None, description="Folder name of the dataset; empty is `ultron`, or `ultron-<kind>`."
    )
    kind: str = Field(default="sft", description="sft, preference or outcome.")
    task_type: str | None = Field(default=None, description="Only this task type; empty means all.")
    min_quality_score: float | None = Field(default=None, description="Overrides the configured gate.")
    limit: int | None = Field(default=None, description="Maximum rows; overrides the configured limit.")
    evidence: str | None = Field(
        default=None, description="verified, likely or any; overrides the configured one."
    )


@dg.asset(
    deps=["quality_labels"],
    group_name="export",
    kinds={"python", "parquet"},
    description=(
        "Eligible tasks as rows that trainers accept without edits: canonical Parquet, JSONL flavours, manifest "
        "with hashes, card, rejects. The same rows and settings give the same bytes."
    ),
)
def sft_dataset(config: SftConfig, ultron: UltronResource) -> dg.MaterializeResult[None]:
    with ultron.open() as opened:
        export = export_dataset(
            opened.runtime,
            ExportRequest(
                name=config.name,
                task_type=config.task_type,
                min_quality_score=config.min_quality_score,
                limit=config.limit,
                evidence=config.evidence,
                kind=config.kind,
                workers=opened.runtime.settings.sft.processes,
            ),
        )
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": export.rows,
            "path": dg.MetadataValue.path(str(export.path)),
            "train_rows": export.train_rows,
            "validation_rows": export.validation_rows,
            "unchanged": export.unchanged,
            "content_hash": export.content_hash,
            "shipped": frame_table(shipped(export.path)),
            "rejects": frame_table(refused(export.path)),
            "report": dg.MetadataValue.md(export.report),
        },
        data_version=dg.DataVersion(export.content_hash),
    )
