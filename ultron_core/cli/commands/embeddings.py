"""Commands about vectors: re-embedding, and the clusters built on them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ultron_core.cli.opening import open_ultron
from ultron_core.cli.output import console, key_values, print_json, table
from ultron_core.cli.progress import progress_bar
from ultron_core.settings import Settings

if TYPE_CHECKING:
    from ultron_core.steps.clusters.read import ClusterChange

__all__ = ["COMMANDS"]


@click.command()
@click.option(
    "--model", help="Model id: a remote name@dimension, or use-multilingual-v3. Default: the configured one."
)
@click.option("--keep-old", is_flag=True, help="Keep the old vectors and their index.")
@click.option("--status", is_flag=True, help="Only show the models and the progress of each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def reembed(settings: Settings, model: str | None, keep_old: bool, status: bool, as_json: bool) -> None:
    """Rebuild all vectors with another embedding model.

    Search and uploads go on meanwhile. If it is stopped, the next run resumes where it left off.
    """
    from ultron_core.embeddings.factory import embedder_of
    from ultron_core.errors import InputError
    from ultron_core.steps.upkeep.reembed import model_states

    with open_ultron(settings) as ultron:
        if status:
            _print_states([asdict(state) for state in model_states(ultron.runtime)], as_json)
            return
        target = None
        if model is not None:
            target = embedder_of(
                model, settings, redact=lambda t: ultron.runtime.redactor.redact_text(t).text
            )
            if target is None:
                raise InputError(
                    f"No embedder for {model!r}: use-multilingual-v3, or name@dimension with a key in "
                    "ULTRON_EMBEDDING_API_KEY."
                )
        with progress_bar("embedding", quiet=as_json) as advance:
            report = ultron.reembed(
                target, keep_old=keep_old, progress=lambda done, total: advance("", done, total)
            )
    if as_json:
        print_json(report)
    else:
        console().print(key_values("", asdict(report)))


def _print_states(states: list[dict[str, object]], as_json: bool) -> None:
    if as_json:
        print_json(states)
        return
    rows = [
        [
            s["model_id"],
            s["state"],
            f"{s['embedded']}/{s['memories']}",
            f"{s['windows_embedded']}/{s['windows']}",
        ]
        for s in states
    ]
    console().print(table("", ["model", "state", "memories", "windows"], rows))


@click.command()
@click.option(
    "--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="Maximum number of rows."
)
@click.option("--changes", is_flag=True, help="Show merges and splits with their reasons instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def clusters(settings: Settings, limit: int, changes: bool, as_json: bool) -> None:
    """List groups of related memories, largest first."""
    from ultron_core.steps.clusters.read import get_cluster_changes, get_clusters

    with open_ultron(settings) as ultron:
        history = get_cluster_changes(ultron.runtime, limit=limit) if changes else []
        found = [] if changes else get_clusters(ultron.runtime)[:limit]
    if as_json:
        print_json(history if changes else [_shown(asdict(cluster)) for cluster in found])
        return
    if changes:
        lines = [_line(change) for change in history]
        columns = ["when", "what", "cluster", "other", "topic", "#size", "#moved", "why"]
        console().print(table("", columns, lines))
        return
    rows = [(str(c.cluster_id)[:8], c.size, c.topic, c.skill_slug) for c in found]
    console().print(table("", ["cluster", "#size", "topic", "skill"], rows))


def _line(change: ClusterChange) -> list[object]:
    when = f"{change.created_at:%Y-%m-%d %H:%M}"
    ids = [str(change.cluster_id)[:8], str(change.other_id)[:8]]
    return [when, change.kind, *ids, change.topic, change.size, change.other_size, change.reason]


def _shown(cluster: dict[str, object]) -> dict[str, object]:
    """Without the centroid, which means nothing to a reader."""
    return {name: value for name, value in cluster.items() if name != "centroid"}


COMMANDS = [reembed, clusters]
