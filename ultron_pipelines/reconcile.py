"""Store and events agree: what the store has and Dagster was not told is told, for each partitioned asset.

A run that is killed between its last transaction and its last event leaves partitions Missing although their work is
done; a log that became quiet changes the data version of its segments without a run of that asset.
"""

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps.stages.standing import standings
from ultron_core.steps.stages.table import FILES, STAGES
from ultron_core.steps.stages.waiting.leases import telling
from ultron_pipelines.assets.events import PartitionEvent, log_partitions
from ultron_pipelines.partitions import add_partitions
from ultron_pipelines.told import not_told

__all__ = ["reconcile"]


def reconcile(context: dg.OpExecutionContext, opened: Ultron) -> int:
    """Record what is done and was not told, or not as it is now; returns how many events that took."""
    told = 0
    for asset in (FILES, *(stage.name for stage in STAGES)):
        with telling(opened.runtime, asset):
            told += _tell_missing(context, opened, asset)
    return told


def _tell_missing(context: dg.OpExecutionContext, opened: Ultron, asset: str) -> int:
    done = [one for one in standings(opened.runtime, asset) if one.done]
    missing = not_told(context.instance, asset, done)
    add_partitions(context.instance, [one.partition_key for one in missing])
    events = [PartitionEvent(one.partition_key, "done", one, {"reconciled": True}) for one in missing]
    log_partitions(context, asset, events)
    return len(missing)
