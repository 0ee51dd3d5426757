"""What the pending work would cost with the model that is set, before anything is called."""

from __future__ import annotations

from typing import Any

from ultron_core.llm.tokens import token_counter
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store

__all__ = ["estimate_pending"]

_ALL = 1_000_000
#: answers are short and bounded by the schemas
_ANSWER_TOKENS = {"segment": 400, "label": 600, "extract": 800}


def estimate_pending(runtime: Runtime) -> dict[str, Any]:
    """Calls, tokens and cost a stage for what waits; zero calls when no model is set.

    Counts the text of the pending rows; prompts, and segments that do not exist yet, are not in it: sessions
    that are not cut yet count once for each stage.
    """
    llm = runtime.settings.llm
    count = token_counter(llm.token_encoding)
    params = runtime.waiting(batch_size=_ALL)
    with runtime.database.transaction() as conn:
        sessions = session_store.to_segment(conn, params)
        tokens = {"segment": 0, "label": 0, "extract": 0}
        calls = {"segment": 0, "label": 0, "extract": 0}
        for session in sessions:
            messages = session_store.load_messages(conn, runtime.account_id, session.id)
            size = sum(count(m.content) for m in messages)
            for stage in tokens:
                tokens[stage] += size
                calls[stage] += 1 + size // llm.window_tokens
        for stage, query in (("label", "to_label"), ("extract", "to_extract")):
            for row, _ in segment_store.pending(conn, query, params):
                messages = session_store.load_thread(
                    conn, runtime.account_id, row.session_id, row.thread, row.start_message, row.end_message
                )
                tokens[stage] += sum(count(m.content) for m in messages)
                calls[stage] += 1
    return _figures(runtime, calls, tokens)


def _figures(runtime: Runtime, calls: dict[str, int], tokens: dict[str, int]) -> dict[str, Any]:
    if runtime.llm is None:
        return {"model": "none (offline)", "calls": 0, "input_tokens": 0, "output_tokens": 0, "cost": 0.0}
    llm = runtime.settings.llm
    output = sum(calls[stage] * _ANSWER_TOKENS[stage] for stage in calls)
    total = sum(tokens.values())
    cost = (total * llm.price_input_per_million + output * llm.price_output_per_million) / 1e6
    figures: dict[str, Any] = {f"{stage}_calls": n for stage, n in calls.items()}
    return {
        "model": runtime.llm.model_id,
        **figures,
        "calls": sum(calls.values()),
        "input_tokens": total,
        "output_tokens": output,
        "cost": round(cost, 4),
    }
