"""What models were asked and what it cost: by stage, day and model, and for each memory that came of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables.llm import kept_notes, spent

__all__ = ["Costs", "Spent", "costs"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What one stage, day or model took, or all of them (`name` is empty). `cached` answers were asked for before and
    took nothing; `cost` is None where no price is known."""

    name: str
    calls: int
    cached: int
    failed: int
    input_tokens: int
    output_tokens: int
    cost: float | None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Costs:
    """All that was asked. `memories`: what models' notes made and is kept; None a memory where there is none."""

    total: Spent
    stages: tuple[Spent, ...]
    days: tuple[Spent, ...]
    models: tuple[Spent, ...]
    memories: int
    tokens_per_memory: int | None
    cost_per_memory: float | None


def costs(runtime: Runtime, since: datetime | None = None) -> Costs:
    """What was asked since a moment, or ever. Days are those of UTC, as is a moment without a zone."""
    if since is not None and since.tzinfo is None:
        since = since.replace(tzinfo=UTC)
    llm = runtime.settings.llm
    prices = {"price_input": llm.price_input_per_million, "price_output": llm.price_output_per_million}
    given = {**runtime.account, **prices, "since": since}
    with runtime.database.transaction() as conn:
        rows = spent(conn, given)
        memories = kept_notes(conn, given)
    parts: dict[str, list[Spent]] = {"": [], "stage": [], "day": [], "model": []}
    for row in rows:
        known = {**row, "cost": row["cost"] or None}
        parts[row["part"]].append(Spent(*(known[name] for name in Spent.__slots__)))
    (total,) = parts[""]
    return Costs(
        total,
        tuple(parts["stage"]),
        tuple(parts["day"]),
        tuple(parts["model"]),
        memories,
        round(total.tokens / memories) if memories else None,
        total.cost / memories if memories and total.cost is not None else None,
    )
