"""Repository of memory search: one statement for the candidates of both lanes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pgvector import HalfVector
from psycopg import sql

from ultron_core.search.memories import Candidate
from ultron_core.store.database import Connection
from ultron_core.store.queries import NamedQueries
from ultron_core.store.tables.uploads import Floats

__all__ = ["EXACT_BELOW", "FILTERS", "candidates"]

_SQL = NamedQueries("search/search")
#: up to this many rows that pass the filters every one is compared: exact, and no slower than the index
EXACT_BELOW = 4000
#: what results can be narrowed by; each is a query `filter_<name>`
FILTERS = ("types", "tags", "tiers", "proof", "agent_id", "project", "since", "until")
#: planning takes as long as a small search: one plan serves any words and types, other filters need one of their own
_PLANNED_ONCE = frozenset(("types",))
#: the limit is a literal of the statement: few values, few plans
_LIMIT_STEP = 50


def candidates(
    conn: Connection,
    account_id: str,
    model: tuple[str, int],
    vectors: Sequence[Floats],
    terms: Sequence[int],
    plain: Sequence[int],
    *,
    filters: Mapping[str, Any],
    status: str = "active",
    limit: int = 50,
) -> list[Candidate]:
    """The union of both lanes' best `limit` rows.

    `model` is (id, dimension); `vectors` and `terms` are those of all phrasings, `plain` the terms of the query as
    it was typed; `filters` by the names of FILTERS, None meaning no filter.
    """
    used = tuple(name for name in FILTERS if filters.get(name) is not None)
    params = {
        **{name: filters[name] for name in used},
        "account_id": account_id,
        "model_id": model[0],
        "vectors": [HalfVector(vector) for vector in vectors],
        "terms": sorted(terms),
        "plain": sorted(plain),
        "exact_below": EXACT_BELOW,
    }
    statement = _statement(used, model, status, -(-limit // _LIMIT_STEP) * _LIMIT_STEP)
    plan = "force_generic_plan" if set(used) <= _PLANNED_ONCE else "force_custom_plan"
    with conn.pipeline():
        conn.execute(_SQL["tune"], {"account_id": account_id, "plan": plan})
        rows = conn.execute(statement, params, binary=True)
    return [Candidate(**row) for row in rows]


@lru_cache(maxsize=256)
def _statement(used: tuple[str, ...], model: tuple[str, int], status: str, limit: int) -> bytes:
    filters = sql.SQL(" ").join([sql.SQL(_SQL[f"filter_{name}"]) for name in used])
    literals = {
        "model": sql.Literal(model[0]),
        "dimension": sql.Literal(model[1]),
        "status": sql.Literal(status),
        "limit": sql.Literal(limit),
    }
    near = _SQL["near_archived" if status == "archived" else "near_indexed"]
    matching = _SQL["matching_filtered" if used else "matching_all"]
    statement = sql.SQL(_SQL["candidates"]).format(
        filters=filters,
        status=literals["status"],
        limit=literals["limit"],
        matching=sql.SQL(matching).format(filters=filters, **literals),
        near=sql.SQL(near).format(filters=filters, **literals),
    )
    return statement.as_bytes()
