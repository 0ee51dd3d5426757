"""`session_files`: each log file read once, archived and normalised."""

from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.sessions import PARSER_VERSION
from ultron_core.steps.files.drop_folder import files_of_partitions, mark_reported
from ultron_core.steps.files.identity import IngestFile, session_data_version
from ultron_core.steps.files.ingest import FileResult, ingest_files
from ultron_pipelines.assets.events import PartitionEvent, fail_bad, log_partitions
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource

__all__ = ["ASSET", "ingest_partitions", "session_files"]

ASSET = "session_files"


@dg.asset(
    partitions_def=sessions_partitions,
    group_name="sessions",
    kinds={"python", "postgres"},
    output_required=False,
    code_version=PARSER_VERSION,
    description=(
        "One agent log per partition: detected format, normalised messages, a ledger in which every physical "
        "line has one fate. The file is read once and archived; no later stage opens it."
    ),
)
def session_files(context: dg.AssetExecutionContext, ultron: UltronResource) -> Iterator[Any]:
    with ultron.open() as opened:
        keys = list(context.partition_keys)
        events = ingest_partitions(opened, files_of_partitions(opened.runtime, keys), keys)
        log_partitions(context, ASSET, events)
        mark_reported(opened.runtime, keys)
    fail_bad(context, events)
    yield from ()  # each partition is logged by itself: there is no output


def ingest_partitions(
    opened: Ultron, files: dict[str, IngestFile], keys: Sequence[str]
) -> list[PartitionEvent]:
    """Ingest the files of these keys; a key whose file is missing keeps what was read before."""
    results = ingest_files(opened.runtime, [files[key] for key in keys if key in files])
    events = [_event(result) for result in results]
    gone = [
        PartitionEvent(key, "failed", error="the file is no longer in the drop folder")
        for key in keys
        if key not in files
    ]
    return events + gone


def _event(result: FileResult) -> PartitionEvent:
    skipped = result.lines.get("skipped", {})
    fates = {
        "message": 0,
        "part": 0,
        "metadata": 0,
        **{k: v for k, v in result.lines.items() if k != "skipped"},
    }
    rows = [f"| {fate} | {count} |" for fate, count in fates.items()]
    rows += [f"| skipped: {reason} | {count} |" for reason, count in sorted(skipped.items())]
    return PartitionEvent(
        key=result.partition_key,
        status="done" if result.success else "failed",
        data_version=session_data_version(result.content_sha256, PARSER_VERSION),
        metadata={
            "status": result.status,
            "agent": result.agent_id,
            "format": result.format or "unknown",
            "messages": result.messages,
            "lines": int(result.lines.get("total", 0)),
            "skipped_lines": sum(skipped.values()),
            "line_ledger": dg.MetadataValue.md("\n".join(["| fate | lines |", "|---|---|", *rows])),
        },
        error=result.error,
    )
