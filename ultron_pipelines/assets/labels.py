"""`quality_labels`: what each finished task is worth for training and for memory, and why."""

from ultron_core.steps.stages.label import STEP
from ultron_pipelines.assets.stages import stage_asset

__all__ = ["quality_labels"]

quality_labels = stage_asset(
    STEP,
    group="quality",
    pool="llm_quality",
    about="What each finished task is worth: outcome, scores for training and for memory, evidence lines.",
)
