"""What Dagster was told last of each partition, beside where the store says that it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import dagster as dg
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.storage.event_log.base import EventLogStorage

from ultron_core.steps.stages.standing import Standing
from ultron_core.steps.stages.table import FILES, stage_named

__all__ = ["not_told"]

_KIND = dg.DagsterEventType.ASSET_MATERIALIZATION


def not_told(
    instance: dg.DagsterInstance, asset: str, stored: Sequence[Standing], *, of_these: bool = False
) -> list[Standing]:
    """What has another data version in Dagster or none, and what was told before the asset that it is made from.

    Dagster answers for all partitions at once, or for `of_these` alone, only what the data version is and which event
    came last.
    """
    if not stored:
        return []
    keys = [one.partition_key for one in stored] if of_these else None
    storage = instance.event_log_storage
    known = storage.get_latest_tags_by_partition(
        dg.AssetKey(asset), _KIND, [DATA_VERSION_TAG], asset_partitions=keys
    )
    last = _last(storage, asset, keys)
    above = {} if asset == FILES else _last(storage, stage_named(asset).after, keys)

    def is_told(one: Standing) -> bool:
        key = one.partition_key
        version = known.get(key, {}).get(DATA_VERSION_TAG)
        return version == one.data_version and above.get(key, 0) <= last.get(key, 0)

    return [one for one in stored if not is_told(one)]


def _last(storage: EventLogStorage, asset: str, keys: Sequence[str] | None) -> Mapping[str, int]:
    return storage.get_latest_storage_id_by_partition(
        dg.AssetKey(asset), _KIND, partitions=None if keys is None else set(keys)
    )
