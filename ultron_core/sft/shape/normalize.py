"""Messages of a segment -> the message rules that all trainers share, or the reason why not.

The rules, and the trainers that need them: docs/sft.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ultron_core.models import Message
from ultron_core.sft.shape.alone import check_alone
from ultron_core.sft.shape.pairing import paired
from ultron_core.sft.shape.portable import portable, without_nulls
from ultron_core.sft.shape.refused import Refused
from ultron_core.sft.shape.spoken import spoken, stopped_at_end
from ultron_core.sft.shape.tools import cap_outputs, check_schemas, declare_tools
from ultron_core.sft.shape.turns import from_first_user, merged, turns

__all__ = ["Normalized", "normalize_messages"]


@dataclass(frozen=True, slots=True)
class Normalized:
    """Trainable messages and tools, or the `reason` why there are none. `repairs`: what was put right, by kind."""

    messages: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()
    tools_inferred: bool = False
    truncated: int = 0
    repairs: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    detail: str = ""


def normalize_messages(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    *,
    system: str = "",
    continues: bool = False,
    reasoning: str = "drop",
    tool_output_max_tokens: int = 2048,
    count_tokens: Callable[[str], int] = len,
) -> Normalized:
    """OpenAI-shaped messages: one leading system, strict turns, each result after its call, text everywhere.

    `reasoning`: keep (as `reasoning_content`), drop, or inline (in `<think>`). Tool outputs over the limit
    keep head and tail around a fixed mark; assistant text is never cut. `system` is the session's prompt, and
    `continues` says that other tasks came before: such a segment must say by itself what is asked.
    """
    repairs: Counter[str] = Counter()
    try:
        rows = portable(turns(spoken(messages, system, repairs), reasoning, repairs), repairs)
        rows = from_first_user(rows, repairs, stopped=stopped_at_end(messages))
        check_alone(rows, continues=continues)
        rows = merged(paired(merged(rows), repairs))
        truncated = cap_outputs(rows, tool_output_max_tokens, count_tokens)
        declared, inferred = declare_tools(rows, without_nulls(portable(tools, repairs), Counter()))
        check_schemas(declared)
    except Refused as refused:
        return Normalized(reason=refused.reason, detail=refused.detail, repairs=_counts(repairs))
    return Normalized(tuple(rows), tuple(declared), inferred, truncated, _counts(repairs))


def _counts(repairs: Counter[str]) -> dict[str, int]:
    return {kind: count for kind, count in sorted(repairs.items()) if count}
