"""Store and events agree: what the store has and Dagster was not told is told, for each partitioned asset.

A run that is killed between its last transaction and its last event leaves partitions Missing although their work is
done; a log that became quiet changes the data version of its segments without a run of that asset.
"""

from collections.abc import Collection

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps.files.drop_folder import mark_reported
from ultron_core.steps.stages.standing import standings
from ultron_core.steps.stages.table import FILES, STAGES
from ultron_core.steps.stages.waiting.leases import telling
from ultron_pipelines.assets.events import PartitionEvent, log_partitions
from ultron_pipelines.assets.sessions import data_versions
from ultron_pipelines.partitions import add_partitions
from ultron_pipelines.told import not_told
from ultron_pipelines.triggers.queue import keys_being_read

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
    held = _held(context.instance, asset)
    missing = not_told(context.instance, asset, [one for one in done if one.partition_key not in held])
    add_partitions(context.instance, [one.partition_key for one in missing])
    events = [PartitionEvent(one.partition_key, "done", one, {"reconciled": True}) for one in missing]
    log_partitions(context, asset, events)
    if asset == FILES:
        mark_reported(opened.runtime, data_versions(missing))
    return len(missing)


def _held(instance: dg.DagsterInstance, asset: str) -> Collection[str]:
    """What a run reads at this moment, that run tells, with its counts. Asked after what the store has and before what
    was told: what is stored by then is held, or its run is over and has told."""
    return keys_being_read(instance) if asset == FILES else ()
