"""Store and events agree: what the store has and Dagster was not told is told, for each partitioned asset.

A run that is killed between its last transaction and its last event leaves partitions Missing although their work is
done; a log that became quiet changes the data version of its segments without a run of that asset.
"""

from collections.abc import Sequence

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps.stages.standing import Standing, standings
from ultron_core.steps.stages.table import FILES, STAGES
from ultron_pipelines.assets.events import PartitionEvent, log_partitions, version_tags
from ultron_pipelines.partitions import add_partitions

__all__ = ["reconcile"]


def reconcile(context: dg.OpExecutionContext, opened: Ultron) -> int:
    """Record what is done and was not told, or not as it is now; returns how many events that took."""
    told = 0
    for asset in (FILES, *(stage.name for stage in STAGES)):
        missing = _not_told(context.instance, asset, standings(opened.runtime, asset))
        add_partitions(context.instance, [one.partition_key for one in missing])
        log_partitions(
            context,
            asset,
            (PartitionEvent(one.partition_key, "done", one, {"reconciled": True}) for one in missing),
        )
        told += len(missing)
    return told


def _not_told(instance: dg.DagsterInstance, asset: str, stored: Sequence[Standing]) -> list[Standing]:
    keys = list(version_tags(stored[0])) if stored else []
    known = instance.event_log_storage.get_latest_tags_by_partition(
        dg.AssetKey(asset), dg.DagsterEventType.ASSET_MATERIALIZATION, keys
    )
    return [one for one in stored if one.done and version_tags(one) != known.get(one.partition_key, {})]
