"""Whether a person asked for exactly the partitions of a run: then they are done again, whatever their state."""

import dagster as dg
from dagster._core.storage.tags import AUTOMATION_CONDITION_TAG, BACKFILL_ID_TAG, PARTITION_NAME_TAG

__all__ = ["asked_for"]


def asked_for(context: dg.AssetExecutionContext) -> bool:
    """A backfill from the UI, or one partition materialised by hand; not what automation asks for, nor a range that a
    script runs to take up what waits."""
    tags = context.run.tags
    return AUTOMATION_CONDITION_TAG not in tags and (BACKFILL_ID_TAG in tags or PARTITION_NAME_TAG in tags)
