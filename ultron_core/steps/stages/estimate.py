"""What the pending work would cost with the configured model, before anything is called."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ultron_core.llm.tokens import token_counter
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages.process import STEPS
from ultron_core.steps.stages.table import SEGMENTS, STAGES

__all__ = ["estimate_pending"]

#: more segments than any store has waiting
_ALL = 1_000_000


def estimate_pending(runtime: Runtime) -> dict[str, Any]:
    """Calls, tokens and cost by stage of what waits; zero calls when no model is configured.

    Counts the text of the pending rows. Prompts are not included; a session that is not segmented yet counts once
    for each stage.
    """
    llm = runtime.settings.llm
    count = token_counter(llm.token_encoding)
    params = runtime.waiting(batch_size=_ALL)
    calls, tokens = Counter[str](), Counter[str]()
    with runtime.database.transaction() as conn:
        for step in STEPS:
            ahead = STAGES if step.stage is SEGMENTS else (step.stage,)
            for item in step.waiting(conn, step.stage.pending, params):
                size = sum(count(message.content) for message in step.messages(conn, item.row))
                for stage in ahead:
                    tokens[stage.call] += size
                    calls[stage.call] += 1 + size // llm.window_tokens
    return _figures(runtime, calls, tokens)


def _figures(runtime: Runtime, calls: Counter[str], tokens: Counter[str]) -> dict[str, Any]:
    if runtime.llm is None:
        return {"model": "none (offline)", "calls": 0, "input_tokens": 0, "output_tokens": 0, "cost": 0.0}
    llm = runtime.settings.llm
    output = sum(calls[stage.call] * stage.answer_tokens for stage in STAGES)
    cost = (tokens.total() * llm.price_input_per_million + output * llm.price_output_per_million) / 1e6
    return {
        "model": runtime.llm.model_id,
        **{f"{stage.call}_calls": calls[stage.call] for stage in STAGES},
        "calls": calls.total(),
        "input_tokens": tokens.total(),
        "output_tokens": output,
        "cost": round(cost, 4),
    }
