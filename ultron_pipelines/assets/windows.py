"""`message_windows`: the documents of the search over the verbatim log, embedded in large batches."""

from ultron_core.steps.stages.windows import STEP
from ultron_pipelines.assets.stages import stage_asset

__all__ = ["message_windows"]

message_windows = stage_asset(
    STEP,
    group="sessions",
    pool="embedding",
    about="Overlapping windows over each log, with words and vectors, for the search over sessions.",
)
