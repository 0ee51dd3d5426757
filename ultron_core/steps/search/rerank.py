"""Ask a model for the order of a search's best candidates; the plain order stays when it gives none.

The caller holds no transaction while the model is asked. The call goes through the client of the other stages:
cached, counted in llm_calls as stage "search", inside its budget.
"""

from __future__ import annotations

from collections.abc import Sequence

from ultron_core.errors import ModelError
from ultron_core.search import RerankAnswer, apply_order, rerank_messages
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.memories import MemoryRecord

__all__ = ["model_order"]


def model_order(
    runtime: Runtime, query: str, records: Sequence[MemoryRecord]
) -> tuple[list[int], str | None]:
    """(positions from 0 of all `records` in the model's order, a note when the order stayed as it was).

    Only redacted text is sent: stored memories are, the query becomes so here.
    """
    plain = list(range(len(records)))
    if runtime.llm is None:
        return plain, "plain order: there is no model to rerank by"
    if len(records) < 2:
        return plain, None
    (asked,), _ = runtime.redactor.redact_json([query])
    chat = rerank_messages(asked, [_text(record) for record in records])
    try:
        answer = runtime.llm.complete(chat, RerankAnswer, stage="search")
    except ModelError as error:
        return plain, f"plain order, the model did not rerank: {error}"
    if not any(1 <= number <= len(records) for number in answer.order):
        return plain, "plain order, the model named none of the candidates"
    return apply_order(plain, answer.order), None


def _text(record: MemoryRecord) -> str:
    return " ".join(part for part in (record.content, record.context, record.resolution) if part)
