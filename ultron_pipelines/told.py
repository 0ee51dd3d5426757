"""What Dagster was told last of each partition, beside where the store says that it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import dagster as dg
from dagster._core.definitions.data_version import (
    CODE_VERSION_TAG,
    DATA_VERSION_TAG,
    INPUT_DATA_VERSION_TAG_PREFIX,
)
from dagster._core.storage.event_log.base import EventLogStorage

from ultron_core.steps.stages.standing import Standing
from ultron_core.steps.stages.table import FILES, stage_named

__all__ = ["not_told"]

#: events read in one question
_EVENTS = 500
_INPUT = f"{INPUT_DATA_VERSION_TAG_PREFIX}/"
_KIND = dg.DagsterEventType.ASSET_MATERIALIZATION


def not_told(
    instance: dg.DagsterInstance, asset: str, stored: Sequence[Standing], *, of_these: bool = False
) -> list[Standing]:
    """What has another data version in Dagster or none, or was made of other data or by other code than was told.

    Dagster answers for all partitions at once, or for `of_these` alone, only what the data version is and which event
    came last. By whom and of what it was made stands in that event, read where the asset above was told later.
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
    new, later = [], []
    for one in stored:
        key = one.partition_key
        if known.get(key, {}).get(DATA_VERSION_TAG) != one.data_version:
            new.append(one)
        elif above.get(key, 0) > last.get(key, 0):
            later.append(one)
    made = _made(instance, asset, [last[one.partition_key] for one in later])
    return new + [one for one in later if made.get(one.partition_key) != (one.code_version, one.inputs)]


def _last(storage: EventLogStorage, asset: str, keys: Sequence[str] | None) -> Mapping[str, int]:
    return storage.get_latest_storage_id_by_partition(
        dg.AssetKey(asset), _KIND, partitions=None if keys is None else set(keys)
    )


def _made(
    instance: dg.DagsterInstance, asset: str, events: Sequence[int]
) -> dict[str | None, tuple[str | None, dict[str, str]]]:
    """By partition, the code version of these events and the data versions of the assets that it was made from."""
    found: dict[str | None, tuple[str | None, dict[str, str]]] = {}
    for begin in range(0, len(events), _EVENTS):
        chunk = events[begin : begin + _EVENTS]
        wanted = dg.AssetRecordsFilter(dg.AssetKey(asset), storage_ids=chunk)
        for record in instance.fetch_materializations(wanted, limit=len(chunk)).records:
            told = record.asset_materialization
            tags = told.tags or {} if told else {}
            inputs = {tag.removeprefix(_INPUT): tags[tag] for tag in tags if tag.startswith(_INPUT)}
            found[record.partition_key] = tags.get(CODE_VERSION_TAG), inputs
    return found
