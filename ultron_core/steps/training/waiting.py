"""Which rows of a dataset a training would take: those that no adapter of this base was trained on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ultron_core.errors import InputError
from ultron_core.sft import load_manifest
from ultron_core.sft.files.read import SPLITS, read_split
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.sft.elsewhere import bring_here
from ultron_core.store.tables import exports
from ultron_core.store.tables.training import runs
from ultron_core.training.learner import base_hash
from ultron_core.training.plan import Known, TrainingPlan, make_plan
from ultron_core.training.records import Recipe, RowRef

__all__ = ["Waiting", "newest_dataset", "recipe_of", "rows_due", "waiting_rows"]

#: the dataset of `ultron export-sft` without a name
_DATASET = "ultron"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a run would do: its rows, the base, and the run whose adapter it would go on from."""

    plan: TrainingPlan
    base_hash: str
    parent: Mapping[str, Any] | None


def recipe_of(runtime: Runtime) -> Recipe:
    """The configured settings of a run."""
    train = runtime.settings.train
    return Recipe(
        steps=train.steps,
        learning_rate=train.learning_rate,
        rank=train.rank,
        max_length=train.max_length,
        batch=train.batch,
        seed=train.seed,
    )


def newest_dataset(runtime: Runtime) -> Path:
    """The newest exported dataset. Raises InputError when there is none."""
    found = _newest(runtime)
    if found is None:
        raise InputError("There is no dataset yet: `ultron export-sft` writes one.")
    bring_here(runtime, found)
    return found


def rows_due(runtime: Runtime) -> int:
    """How many rows of the newest dataset the configured base has not seen; 0 without a base or a dataset."""
    base, dataset = runtime.settings.train.base, _newest(runtime)
    if base is None or dataset is None:
        return 0
    bring_here(runtime, dataset)
    return waiting_rows(runtime, dataset, base, recipe_of(runtime)).plan.new


def _newest(runtime: Runtime) -> Path | None:
    with runtime.database.transaction() as conn:
        row = exports.newest(conn, runtime.account_id, _DATASET)
    return Path(row["path"]) if row else None


def waiting_rows(
    runtime: Runtime, dataset: Path, base: Path, recipe: Recipe, *, again: bool = False
) -> Waiting:
    """What is new to this base. `again`: everything is, and the run begins at the base.

    Marks adapters as tainted on the way: none of them is gone on from. Raises InputError for another kind of dataset.
    """
    if (kind := load_manifest(dataset).get("kind", "sft")) != "sft":
        raise InputError(
            f"{dataset} is a dataset of kind {kind}: give one of kind sft, as `ultron export-sft` writes it."
        )
    rows = list(_refs(dataset))
    digest = base_hash(base)
    account = runtime.account_id

    def look(conn: Any) -> tuple[Mapping[str, Any] | None, list[dict[str, Any]], frozenset[str]]:
        runs.taint(conn, account, runtime.clock())
        parent = None if again else runs.parent(conn, account, digest)
        stored = runs.known(conn, account, digest, parent["id"] if parent else None, recipe.max_length)
        return parent, stored, runs.erased(conn, account, [row.content for row in rows])

    parent, stored, erased = runtime.database.run(look)
    return Waiting(make_plan(rows, _known(stored, erased, again)), digest, parent)


def _refs(dataset: Path) -> Iterator[RowRef]:
    for split in SPLITS:
        for row in read_split(dataset, split):
            yield RowRef(row["id"], row["content_sha256"], row["group_key"], split)


def _known(stored: list[dict[str, Any]], erased: frozenset[str], again: bool) -> Known:
    sides: dict[str, str] = {}
    group_sides: dict[str, str] = {}
    for row in stored:
        # what was trained can measure nothing any more
        side = "train" if row["trained"] else "validation" if row["validated"] else ""
        for found, key in ((sides, row["content_sha256"]), (group_sides, row["group_key"])):
            if side and found.get(key) != "train":
                found[key] = side
    return Known(
        seen=frozenset() if again else frozenset(row["content_sha256"] for row in stored if row["seen"]),
        taught=frozenset(row["content_sha256"] for row in stored if row["taught"]),
        sides=sides,
        group_sides=group_sides,
        erased=erased,
    )
