"""`segments`: each session split into tasks; re-ingest keeps the ids of what did not change."""

from ultron_core.steps.stages.segment import STEP
from ultron_pipelines.assets.stages import stage_asset

__all__ = ["segments"]

segments = stage_asset(
    STEP,
    group="sessions",
    pool="llm_segment",
    about="Each session split into tasks; re-ingest keeps the ids of what did not change.",
)
