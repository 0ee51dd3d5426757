"""Where each partition stands after each stage: what its rows are, who made them, whether some still wait.

Dagster compares what is said here with what it was told last: another data version is new content, another code version
was made by an older parser, segmenter, labeler, extractor, prompt or model, and shows as stale.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ultron_core.embeddings.factory import embedder_name
from ultron_core.labels import LABELER_VERSION
from ultron_core.labels.judge import labeler_of
from ultron_core.llm.factory import model_names
from ultron_core.llm.protocol import Named
from ultron_core.memories import EXTRACTOR_VERSION, extractor_of
from ultron_core.search.windows import LAYOUT
from ultron_core.segments import SEGMENTER_VERSION
from ultron_core.segments.by_model.cut import segmenter_of
from ultron_core.sessions import PARSER_VERSION
from ultron_core.settings import Settings
from ultron_core.steps.ids import session_data_version
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.table import FILES, LABELS, MEMORIES, SEGMENTS, WINDOWS, stage_named
from ultron_core.store.tables import segments as segment_store

__all__ = ["Standing", "code_versions", "makers_of", "standings"]

#: who makes the rows of each asset, as the rows name it
Makers = Mapping[str, str]
#: of a thread too short to cut, whoever the segmenter is, and of rows that are not made yet
_NOBODY = {"short", "-"}
#: the column of `versions` that says who made an asset's rows
_MAKERS = {
    FILES: "parsers",
    SEGMENTS.name: "segmenters",
    LABELS.name: "labelers",
    MEMORIES.name: "extractors",
    WINDOWS.name: "windows",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """One partition of one asset. `code_version`: of the code that made its rows; `inputs`: data versions of the assets
    it was made from; `done`: no row of it waits for the stage or is left failed."""

    partition_key: str
    data_version: str
    code_version: str
    inputs: Mapping[str, str]
    done: bool


def makers_of(runtime: Runtime) -> dict[str, str]:
    """Who would make the rows of each asset now."""
    return _makers(runtime.llm, runtime.quality_llm, runtime.embedder.model_id)


def code_versions(settings: Settings) -> dict[str, str]:
    """The code version of each asset with these settings: its own maker and those of the assets before it."""
    model, judge = model_names(settings)
    makers = _makers(model, judge, embedder_name(settings))
    return {asset: _chained(asset, makers) for asset in makers}


def _makers(llm: Named | None, quality_llm: Named | None, embedder: str) -> dict[str, str]:
    return {
        FILES: f"parser:{PARSER_VERSION}",
        SEGMENTS.name: segmenter_of(llm) if llm else SEGMENTER_VERSION,
        LABELS.name: labeler_of(quality_llm) if quality_llm else LABELER_VERSION,
        MEMORIES.name: extractor_of(llm) if llm else EXTRACTOR_VERSION,
        WINDOWS.name: f"{LAYOUT}:{embedder}",
    }


def _chained(asset: str, makers: Makers) -> str:
    own = [] if asset == FILES else [_chained(stage_named(asset).after, makers)]
    return " > ".join([*own, makers[asset]])


def standings(runtime: Runtime, asset: str, keys: Sequence[str] | None = None) -> list[Standing]:
    """Where these partitions (all of them when keys is None) stand, by key."""
    params = {**runtime.waiting(keys), "keys": None if keys is None else list(keys)}
    with runtime.database.transaction() as conn:
        rows = segment_store.fetch(conn, "versions", params)
    current = makers_of(runtime)
    return [_standing(asset, row, current) for row in rows]


def _standing(asset: str, row: Mapping[str, Any], current: Makers) -> Standing:
    made = {name: _made_by(name, row, current) for name in _MAKERS}
    after = None if asset == FILES else stage_named(asset).after
    return Standing(
        row["partition_key"],
        _data_version(asset, row),
        _chained(asset, made),
        {after: _data_version(after, row)} if after else {},
        done=row["readable"] and (asset == FILES or not row[stage_named(asset).backlog]),
    )


def _made_by(asset: str, row: Mapping[str, Any], current: Makers) -> str:
    """The present maker where it made all rows, else all who did."""
    found = {str(maker) for maker in row[_MAKERS[asset]] or ()} - _NOBODY
    return current[asset] if found <= {current[asset]} else "+".join(sorted(found))


def _data_version(asset: str, row: Mapping[str, Any]) -> str:
    if asset == FILES:
        return session_data_version(row["content"], row["parser"])
    columns = stage_named(asset).versions
    return hashlib.sha256("\n".join("|".join(map(str, row[c] or ())) for c in columns).encode()).hexdigest()[
        :32
    ]
