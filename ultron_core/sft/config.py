"""Everything that decides which rows are exported; it is stored in the manifest and hashed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BuildConfig", "Caps"]


@dataclass(frozen=True, slots=True)
class Caps:
    """Most rows of one session, of one task and of one task type; 0 is no cap."""

    session: int = 0
    task: int = 0
    task_type: int = 0


@dataclass(frozen=True, slots=True)
class BuildConfig:
    """Settings of one export."""

    #: sft: runs that worked; preference: pairs of a better and a worse run; outcome: runs with a verdict
    kind: str = "sft"
    limit: int = 5000
    max_tokens: int = 32_768
    tool_output_max_tokens: int = 2048
    validation_share: float = 0.1
    #: keep: only rows with reasoning; drop; inline: only rows with reasoning, in <think>
    reasoning: str = "drop"
    near_duplicate_jaccard: float = 0.7
    #: keep, or drop rows in which the model made several calls in one turn
    parallel_calls: str = "keep"
    #: mask: turns of interrupted calls are marked `loss: false`; drop: such rows are left out
    bad_turns: str = "mask"
    caps: Caps = Caps()
    #: of one task, in a preference dataset
    pairs_per_task: int = 4

    @property
    def of_drafts(self) -> tuple[str | int | float, ...]:
        """The settings that the draft of a single row depends on."""
        lengths = (self.max_tokens, self.tool_output_max_tokens, self.near_duplicate_jaccard)
        return (self.reasoning, self.parallel_calls, self.bad_turns, *lengths)
