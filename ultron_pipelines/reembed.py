"""`reembed_job`: rebuild all vectors with the configured model, while everything else keeps running."""

import dagster as dg
from pydantic import Field

from ultron_core.steps.upkeep.reembed import GRACE_SECONDS
from ultron_pipelines.resources import UltronResource

__all__ = ["reembed_job"]

_STEPS_LOGGED = 20


class ReembedConfig(dg.Config):
    """What happens to the old vectors."""

    keep_old: bool = Field(default=False, description="Keep the old vectors and their index.")
    grace_seconds: float = Field(
        default=GRACE_SECONDS,
        description="Wait this many seconds after the switch for calls that began before it.",
    )


@dg.op(
    description="Embeds what has no vector of the configured model, switches to it, drops the old vectors."
)
def reembed_vectors(context: dg.OpExecutionContext, config: ReembedConfig, ultron: UltronResource) -> None:
    logged = 0

    def progress(done: int, total: int) -> None:
        nonlocal logged
        if total and done * _STEPS_LOGGED // total > logged:
            logged = done * _STEPS_LOGGED // total
            context.log.info(f"{done} of {total} memories embedded")

    with ultron.open() as opened:
        report = opened.reembed(
            keep_old=config.keep_old, grace_seconds=config.grace_seconds, progress=progress
        )
    context.log.info(
        f"{report.model_id} is in use: {report.embedded} memories and {report.windows} windows embedded, "
        f"{report.clusters} clusters, {report.dropped} old vectors dropped"
    )


@dg.job(
    description="Switches to another embedding model or dimension (ULTRON_EMBEDDING_*); resumes when run again."
)
def reembed_job() -> None:
    reembed_vectors()
