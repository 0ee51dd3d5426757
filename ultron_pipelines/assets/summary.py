"""`pipeline_summary`: one row of numbers an interval, which the UI charts over time, and three pictures of now."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.steps import overview
from ultron_core.steps.audit.totals import totals
from ultron_pipelines.assets.events import shown_table
from ultron_pipelines.charts import histogram, markdown_image
from ultron_pipelines.resources import UltronResource

__all__ = ["pipeline_summary"]

_KEY = dg.AssetKey("pipeline_summary")
_SHOWN = 25


@dg.asset(
    key=_KEY,
    deps=["session_files", "segments", "quality_labels", "extracted_memories", "message_windows"],
    group_name="overview",
    kinds={"python", "postgres"},
    # the checks of the same run come first, so that their findings are in the summary
    op_tags={"dagster/priority": "-1"},
    description=(
        "The whole pipeline in numbers, by time: files, scores, refusals, tokens, cost, failures, and what the checks "
        "found, junk and secrets among it. Each number is charted on this page, under Metadata, Plots."
    ),
)
def pipeline_summary(context: dg.AssetExecutionContext, ultron: UltronResource) -> dg.MaterializeResult[None]:
    last = context.instance.get_latest_materialization_event(_KEY)
    since = datetime.fromtimestamp(last.timestamp, UTC) if last else None
    with ultron.open() as opened:
        numbers = {name: _shown(value) for name, value in totals(opened.runtime, since).items()}
        pictures = _pictures(opened)
    checks = context.job_def.asset_layer.asset_graph.asset_check_keys
    return dg.MaterializeResult(metadata={**numbers, **_violations(context.instance, checks), **pictures})


def _shown(value: Any) -> Any:
    """A mean to four digits, as people write it."""
    return round(value, 4) if isinstance(value, float) else value


def _violations(instance: dg.DagsterInstance, checks: Any) -> dict[str, int]:
    """What each check found when it ran last."""
    records = instance.event_log_storage.get_latest_asset_check_execution_by_key(sorted(checks))
    found: dict[str, int] = {}
    for key, record in records.items():
        evaluation = record.event.asset_check_evaluation if record.event else None
        if evaluation is not None:
            found[f"violations_{key.name}"] = int(str(evaluation.metadata["violations"].value))
    return found


def _pictures(opened: Ultron) -> dict[str, dg.MarkdownMetadataValue]:
    """Scores as a histogram, refusals by reason, models with their tokens and cost."""
    runtime, labels = opened.runtime, opened.settings.labels
    png = histogram(
        overview.scores(runtime),
        {"overall_score": labels.sft_score_threshold, "memory_score": labels.memory_score_threshold},
        "scores of all labelled segments",
    )
    drops = [(c["stage"], c["reason"], c["count"]) for c in overview.drop_counts(runtime)]
    shown = {
        "scores": dg.MetadataValue.md(markdown_image(png, "score histogram")),
        "drops_by_reason": shown_table(("stage", "reason", "count"), drops[:_SHOWN]),
    }
    calls = overview.model_calls(runtime)
    if calls:
        shown["models"] = shown_table(
            ("stage", "model", "calls", "tokens in", "tokens out", "cost"), map(_call, calls)
        )
    return shown


def _call(c: Mapping[str, Any]) -> tuple[Any, ...]:
    tokens = c["input_tokens"], c["output_tokens"]
    return (c["stage"], c["model"], c["calls"], *tokens, f"{c['cost']:.4f}")
