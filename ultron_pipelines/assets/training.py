"""`sft_training`: a LoRA adapter on what the newest dataset has that no adapter was trained on."""

from typing import Any

import dagster as dg
from pydantic import Field

from ultron_core.steps.training.registry import Run
from ultron_core.steps.training.run import train
from ultron_core.steps.training.waiting import newest_dataset, recipe_of
from ultron_pipelines.assets.events import shown_table
from ultron_pipelines.resources import UltronResource

__all__ = ["TrainingConfig", "sft_training"]


class TrainingConfig(dg.Config):
    """When to train; the settings ULTRON_TRAIN_... say how."""

    least: int | None = Field(
        default=None, description="Train from so many new rows on; empty is the configured number."
    )


@dg.asset(
    deps=["sft_dataset"],
    group_name="export",
    kinds={"python", "pytorch"},
    description=(
        "A LoRA adapter, trained on the rows of the newest dataset that no adapter of the base has seen, compared with "
        "what it started from, and promoted when it is better by more than chance. Off until ULTRON_TRAIN_BASE is set."
    ),
)
def sft_training(
    context: dg.AssetExecutionContext, config: TrainingConfig, ultron: UltronResource
) -> dg.MaterializeResult[None]:
    with ultron.open() as opened:
        settings = opened.runtime.settings.train
        if settings.base is None:
            return dg.MaterializeResult(metadata={"trained": False, "reason": "ULTRON_TRAIN_BASE is not set"})
        done = train(
            opened.runtime,
            newest_dataset(opened.runtime),
            settings.base,
            recipe_of(opened.runtime),
            least=settings.rows if config.least is None else config.least,
            tell=context.log.info,
        )
    if done.run is None:
        return dg.MaterializeResult(
            metadata={"trained": False, "reason": f"{done.new} rows are new", "new_rows": done.new}
        )
    return dg.MaterializeResult(metadata=_told(done.run) | {"trained": True, "new_rows": done.new})


def _told(run: Run) -> dict[str, Any]:
    before, after, verdict = (run.report[name] for name in ("before", "after", "verdict"))
    losses = [("all", before["losses"]["loss"], after["losses"]["loss"])]
    losses += [
        (kind, old["loss"], after["losses"]["by_type"][kind]["loss"])
        for kind, old in sorted(before["losses"]["by_type"].items())
    ]
    return {
        "path": dg.MetadataValue.path(str(run.path)),
        "dagster/row_count": run.rows,
        "promoted": run.promoted,
        "reasons": shown_table(["why not"], [[reason] for reason in verdict["reasons"]]),
        "loss": shown_table(["rows", "before", "after"], losses),
        "valid_calls": f"{before['calls']['valid']} -> {after['calls']['valid']} of {before['calls']['prompts']}",
    }
