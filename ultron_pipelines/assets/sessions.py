"""`session_files`: each log file read once, archived and normalised."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps.files.drop_folder import files_of_partitions, mark_reported
from ultron_core.steps.files.identity import IngestFile
from ultron_core.steps.files.ingest import FileResult, ingest_files
from ultron_core.steps.stages.standing import Standing, standings
from ultron_core.steps.stages.table import FILES
from ultron_core.steps.stages.waiting.leases import telling
from ultron_pipelines.assets.events import PartitionEvent, fail_bad, log_partitions, shown_table
from ultron_pipelines.partitions import sessions_partitions
from ultron_pipelines.resources import UltronResource
from ultron_pipelines.triggers.asked import asked_for

__all__ = ["ASSET", "data_versions", "ingest_partitions", "session_files"]

ASSET = FILES


@dg.asset(
    partitions_def=sessions_partitions,
    group_name="sessions",
    kinds={"python", "postgres"},
    output_required=False,
    description=(
        "One agent log per partition: detected format, normalised messages, a ledger in which every physical "
        "line has one fate. The file is read once and archived; no later stage opens it."
    ),
)
def session_files(context: dg.AssetExecutionContext, ultron: UltronResource) -> Iterator[Any]:
    with ultron.open() as opened:
        keys = list(context.partition_keys)
        events = ingest_partitions(
            opened, files_of_partitions(opened.runtime, keys), keys, again=asked_for(context)
        )
        with telling(opened.runtime, ASSET):
            log_partitions(context, ASSET, events)
            mark_reported(opened.runtime, data_versions(event.standing for event in events))
    fail_bad(context, events)
    yield from ()  # each partition is logged by itself: there is no output


def ingest_partitions(
    opened: Ultron, files: dict[str, IngestFile], keys: Sequence[str], *, again: bool = False
) -> list[PartitionEvent]:
    """Ingest the files of these keys; a key whose file is missing keeps what was read before."""
    results = ingest_files(opened.runtime, [files[key] for key in keys if key in files], again=again)
    read = [result.partition_key for result in results]
    standing = {one.partition_key: one for one in standings(opened.runtime, FILES, read)}
    events = [_event(result, standing.get(result.partition_key)) for result in results]
    gone = [
        PartitionEvent(key, "failed", error="the file is no longer in the drop folder")
        for key in keys
        if key not in files
    ]
    return events + gone


def data_versions(told: Iterable[Standing | None]) -> dict[str, str]:
    """By partition what Dagster was told of; nothing of a file that has no session."""
    return {one.partition_key: one.data_version for one in told if one is not None}


def _event(result: FileResult, standing: Standing | None) -> PartitionEvent:
    skipped = result.lines.get("skipped", {})
    metadata: dict[str, Any] = {
        "status": result.status,
        "format": result.format or "unknown",
        "messages": result.messages,
        "lines": int(result.lines.get("total", 0)),
    }
    if skipped:
        metadata["skipped_lines"] = sum(skipped.values())
        metadata["skipped"] = shown_table(["why", "lines"], sorted(skipped.items()))
    if damaged := result.lines.get("damaged"):
        metadata["damaged_lines"] = int(damaged)
    return PartitionEvent(
        key=result.partition_key,
        # one that was deleted before it was opened waits: the next scan calls it missing
        status="done" if result.success else "changed" if result.status == "missing" else "failed",
        standing=standing,
        metadata=metadata,
        error=result.error,
    )
