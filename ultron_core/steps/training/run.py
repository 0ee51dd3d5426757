"""One training: plan, verify, encode, train three times, compare, publish, register."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from ultron_core.errors import ConflictError, InputError
from ultron_core.folders import make_folders, only_one
from ultron_core.sft import load_manifest, verify_dataset
from ultron_core.sft.files.read import SPLITS, read_split
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.training.registry import LOCK, Run, register, show_run, take_up_killed
from ultron_core.steps.training.waiting import Waiting, waiting_rows
from ultron_core.store.tables.training import runs
from ultron_core.training.evaluate import Prompt, evaluate, fixed_prompts, losses, prompt_of
from ultron_core.training.folder import ADAPTER, LOG, publish, start_work, work_folder
from ultron_core.training.learner import Learner, MakeLearner, load_learner
from ultron_core.training.masks import mask_problems
from ultron_core.training.progress import Progress, Tell
from ultron_core.training.promote import judge
from ultron_core.training.records import Encoded, Recipe, RowRef
from ultron_core.version import __version__

__all__ = ["Trained", "train"]

#: rows whose masks are looked at before anything is trained
_MASKS_CHECKED = 50
#: prompts made of validation rows, beside the fixed ones
_PROMPTS = 8


@dataclass(frozen=True, slots=True)
class Trained:
    """What a call did: the finished run, or None where too few rows are new; then `new` says how many are."""

    run: Run | None
    new: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The plan's rows as the model reads them, and the prompts made of some."""

    train: Sequence[Encoded]
    validation: Sequence[Encoded]
    too_long: Sequence[RowRef]
    prompts: Sequence[Prompt]


def train(
    runtime: Runtime,
    dataset: Path,
    base: Path,
    recipe: Recipe,
    *,
    least: int = 1,
    again: bool = False,
    tell: Tell = lambda text: None,
    make_learner: MakeLearner = load_learner,
) -> Trained:
    """Train a LoRA adapter on the rows that no adapter of this base has seen, from the base or its promoted adapter.

    Nothing is trained when fewer than `least` are new. `again`: on all rows, from the base. Raises InputError for a
    dataset, base or mask that is not right, and ConflictError while another training runs.
    """
    dataset, base = dataset.resolve(), base.resolve()
    folder = runtime.settings.adapters_dir.resolve()
    make_folders(folder)
    with only_one(folder / LOCK) as alone:
        if not alone:
            raise ConflictError(f"A training is running already; its log is in {folder}. Wait for its end.")
        take_up_killed(runtime)
        waiting = waiting_rows(runtime, dataset, base, recipe, again=again)
        if waiting.plan.new < least:
            return Trained(None, waiting.plan.new, waiting.plan.left_out)
        if problems := verify_dataset(dataset, tokenizer=runtime.settings.sft.tokenizer):
            raise InputError(
                f"{dataset} breaks {len(problems)} rule(s), nothing was trained: export it again. First: {problems[0]}"
            )
        learner = make_learner(base)
        rows = _encoded(learner, dataset, waiting, recipe)
        run_id = uuid4()
        name = f"{runtime.clock():%Y%m%d}-{run_id.hex[:8]}"
        about = _about(waiting, name, dataset, base, recipe, learner.device)
        with _recorded(runtime, run_id, folder / name, about, waiting):
            work = start_work(folder / name)
            with Progress(work / LOG, tell) as progress:
                measured = _learn(learner, rows, recipe, waiting, work, progress.tell)
                told = {**about, **measured, **_fates(rows, waiting), "seconds": progress.seconds}
                register(runtime, run_id, publish(folder / name, told))
    return Trained(show_run(runtime, name), waiting.plan.new, waiting.plan.left_out)


def _encoded(learner: Learner, dataset: Path, waiting: Waiting, recipe: Recipe) -> _Rows:
    """Raises InputError when no row fits, or when what would be trained is not exactly what the model said."""
    wanted = {ref.content: ref for ref in (*waiting.plan.train, *waiting.plan.validation)}
    measured = {ref.content for ref in waiting.plan.validation}
    checked = set(sorted(wanted)[:_MASKS_CHECKED])
    train, validation, too_long = [], [], []
    prompts: list[tuple[str, Prompt]] = []
    for row in (row for split in SPLITS for row in read_split(dataset, split)):
        content = row["content_sha256"]
        if (ref := wanted.pop(content, None)) is None:
            continue
        encoded = learner.encode(ref, row)
        if content in checked:
            for problem in mask_problems(row["messages"], encoded, learner.decode):
                raise InputError(f"Row {ref.id}: {problem}. Nothing was trained: another base may do.")
        if len(encoded.tokens) > recipe.max_length:
            too_long.append(ref)
        elif content in measured:
            validation.append(encoded)
            prompt = prompt_of(row)
            prompts += [(content, prompt)] if prompt else []
        else:
            train.append(encoded)
    if not train:
        raise InputError(
            f"All new rows are longer than {recipe.max_length} tokens: raise --max-length (ULTRON_TRAIN_MAX_LENGTH)."
        )
    prompts.sort(key=lambda one: one[0])
    return _Rows(train, validation, too_long, [*fixed_prompts(), *(p for _, p in prompts[:_PROMPTS])])


def _about(
    waiting: Waiting, name: str, dataset: Path, base: Path, recipe: Recipe, device: str
) -> dict[str, Any]:
    """What is known of a run before it begins; with what was measured it is the manifest."""
    return {
        "name": name,
        "ultron_version": __version__,
        "base": str(base),
        "base_hash": waiting.base_hash,
        "parent": waiting.parent["name"] if waiting.parent else None,
        "dataset": str(dataset),
        "dataset_hash": load_manifest(dataset)["content_hash"],
        "settings": asdict(recipe),
        "seed": recipe.seed,
        "device": device,
    }


@contextmanager
def _recorded(
    runtime: Runtime, run_id: UUID, target: Path, about: Mapping[str, Any], waiting: Waiting
) -> Iterator[None]:
    """The run stands in the registry while it goes on; one that fails or is interrupted is stopped, with its error."""
    values = {
        **about,
        "id": run_id,
        "account_id": runtime.account_id,
        "parent_id": waiting.parent["id"] if waiting.parent else None,
        "path": str(target),
        "now": runtime.clock(),
    }
    runtime.database.run(lambda conn: runs.insert(conn, values))
    try:
        yield
    finally:
        if error := sys.exception():
            told = f"{type(error).__name__}: {error}"
            shutil.rmtree(work_folder(target), ignore_errors=True)
            runtime.database.run(
                lambda conn: runs.stop(conn, runtime.account_id, run_id, runtime.clock(), told)
            )


def _learn(
    learner: Learner, rows: _Rows, recipe: Recipe, waiting: Waiting, work: Path, tell: Tell
) -> dict[str, Any]:
    """All trainings of the run; the first one's adapter is kept, the others show what chance does."""
    parent = Path(waiting.parent["path"]) / ADAPTER if waiting.parent else None
    first, *others = recipe.seeds
    learner.start(recipe, first, parent)
    before = evaluate(learner, rows.validation, rows.prompts, _under("before", tell))
    trained = [learner.train(rows.train, recipe, first, _under(f"seed {first}", tell))]
    learner.save(work / ADAPTER)
    after = evaluate(learner, rows.validation, rows.prompts, _under("after", tell))
    of_seeds = [after.losses]
    for seed in others:
        learner.start(recipe, seed, parent)
        trained.append(learner.train(rows.train, recipe, seed, _under(f"seed {seed}", tell)))
        of_seeds.append(losses(learner, rows.validation, _under(f"seed {seed}", tell)))
    return {
        "before": before.as_json(),
        "after": after.as_json(),
        "of_seeds": [asdict(one) for one in of_seeds],
        "train_losses": trained,
        "verdict": asdict(judge(before, after, of_seeds)),
    }


def _under(what: str, tell: Tell) -> Tell:
    return lambda text: tell(f"{what}: {text}")


def _fates(rows: _Rows, waiting: Waiting) -> dict[str, Any]:
    """What became of each row, for the registry, and how many there are of each fate."""
    sides = (
        ("train", [row.ref for row in rows.train]),
        ("validation", [row.ref for row in rows.validation]),
        ("too_long", rows.too_long),
    )
    listed = [
        {"id": ref.id, "content": ref.content, "group": ref.group, "fate": fate}
        for fate, refs in sides
        for ref in refs
    ]
    left_out = Counter(waiting.plan.left_out) + Counter({"too_long": len(rows.too_long)})
    counts = {"train": len(rows.train), "validation": len(rows.validation), "left_out": dict(left_out)}
    return {"rows": listed, "counts": counts}
