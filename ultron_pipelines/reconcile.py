"""Store and events agree: what the store has and Dagster was not told is told, for each partitioned asset.

A run that is killed between its last transaction and its last event leaves partitions Missing although their work is
done; a log that became quiet changes the data version of its segments without a run of that asset.
"""

from collections.abc import Mapping, Sequence

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.storage.event_log.base import EventLogStorage

from ultron_core.client import Ultron
from ultron_core.steps.stages.standing import Standing, standings
from ultron_core.steps.stages.table import FILES, STAGES, stage_named
from ultron_pipelines.assets.events import PartitionEvent, log_partitions
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
    """What has another data version in Dagster or none, and what was told before the asset that it is made from:
    Dagster answers for all partitions at once only what the data version is and which event came last."""
    storage = instance.event_log_storage
    known = storage.get_latest_tags_by_partition(
        dg.AssetKey(asset), dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION_TAG]
    )
    last = _last(storage, asset)
    above = {} if asset == FILES else _last(storage, stage_named(asset).after)

    def is_told(one: Standing) -> bool:
        key = one.partition_key
        version = known.get(key, {}).get(DATA_VERSION_TAG)
        return version == one.data_version and above.get(key, 0) <= last.get(key, 0)

    return [one for one in stored if one.done and not is_told(one)]


def _last(storage: EventLogStorage, asset: str) -> Mapping[str, int]:
    return storage.get_latest_storage_id_by_partition(
        dg.AssetKey(asset), dg.DagsterEventType.ASSET_MATERIALIZATION
    )
