"""`extracted_memories`: gated, redacted, deduplicated, each traceable to its file, lines and words."""

from ultron_core.steps.stages.extract import STEP
from ultron_pipelines.assets.stages import stage_asset

__all__ = ["extracted_memories"]

extracted_memories = stage_asset(
    STEP,
    group="memory",
    pool="llm_extract",
    about="Memories of eligible tasks: gated, redacted, deduplicated, each traceable to its file, lines and words.",
)
