"""Names of clusters: by words for all, by a model for those that may become a skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from ultron_core.clusters import ask_topic, name_topics
from ultron_core.errors import ModelAnswerError, ModelError
from ultron_core.steps.clusters.members import lock_clusters
from ultron_core.steps.runtime import Runtime
from ultron_core.store.database import Connection
from ultron_core.store.tables import clusters as store

__all__ = ["forget_in_topic", "name_clusters"]

#: summaries of a cluster that its topic is made of
_SUMMARIES = 50
#: clusters a run that a model is asked about
_ASKED = 20


def name_clusters(runtime: Runtime) -> None:
    """Topics that tell the clusters apart; only changed ones are written. One that a model gave stays until
    the cluster is merged or split."""
    sample = {"account_id": runtime.account_id, "most": _SUMMARIES, "ids": None}
    rows = runtime.database.run(lambda conn: store.fetch(conn, "summaries", sample))
    topics = name_topics([row["summaries"] or [""] for row in rows])
    pairs = zip(rows, topics, strict=True)
    named = [(row["cluster_id"], topic) for row, topic in pairs if row["topic_by"] != "model"]
    asked = _ask(runtime, [row for row in rows if row["topic_by"] != "model"])
    _write(runtime, [pair for pair in named if pair[0] not in asked], "words")
    _write(runtime, sorted(asked.items()), "model")


def forget_in_topic(runtime: Runtime, conn: Connection, cluster_ids: Sequence[UUID]) -> None:
    """After words were deleted, in the caller's transaction under the lock of clusters: a topic with words that no
    member holds is made of the members' own; where a model gave it, the next run asks again."""
    params = {"account_id": runtime.account_id, "now": runtime.clock()}
    rows = store.fetch(conn, "summaries", {**params, "most": _SUMMARIES, "ids": list(cluster_ids)})
    old = [row for row in rows if not _says(row["summaries"], row["topic"])]
    if old:
        topics = name_topics([row["summaries"] or [""] for row in old])
        made = {"ids": [row["cluster_id"] for row in old], "topics": topics, "topic_by": "words"}
        store.run(conn, "set_topics", {**params, **made})


def _says(summaries: Sequence[str], topic: str) -> bool:
    text = "\n".join(summaries).lower()
    return all(word in text for word in topic.lower().split())


def _ask(runtime: Runtime, rows: Sequence[dict[str, Any]]) -> dict[UUID, str]:
    """The model's topics of the largest clusters; none when it does not answer."""
    made: dict[UUID, str] = {}
    if runtime.llm is None:
        return made
    least = runtime.settings.clusters.crystallization_threshold
    for row in [row for row in rows if row["size"] >= least][:_ASKED]:
        try:
            topic = ask_topic(row["summaries"], runtime.llm)
        except ModelAnswerError:
            continue
        except ModelError:
            break
        made[row["cluster_id"]] = runtime.redactor.redact_text(topic).text
    return made


def _write(runtime: Runtime, named: Sequence[tuple[UUID, str]], topic_by: str) -> None:
    if not named:
        return
    params = {"ids": [pair[0] for pair in named], "topics": [pair[1] for pair in named], "topic_by": topic_by}
    common = {"account_id": runtime.account_id, "now": runtime.clock()}

    def write(conn: Connection) -> None:
        lock_clusters(runtime, conn)
        store.run(conn, "set_topics", {**common, **params})

    runtime.database.run(write)
