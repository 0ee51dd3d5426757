"""Pairs that the shared sessions make, with the known ends of their runs as imported outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sft_parts.segments import Cut, as_candidate

from ultron_core.llm.tokens import token_counter
from ultron_core.sft import BuildConfig, Candidate, Reject, Tools, Workers, build_rows, counts_by_reason
from ultron_core.steps.sft.corrected import corrected

CONFIG = BuildConfig(kind="preference", limit=10**9)


def pairs_of(
    segments: Sequence[Cut], *, tasks: bool
) -> tuple[list[Any], Mapping[str, int], Mapping[str, int]]:
    """The pairs, how many of each source, and why runs are in none. `tasks`: outcomes name the task of a run."""
    source = {f"{cut.number:06d}": cut for cut in segments}
    tools = Tools(list, lambda text: False, token_counter())
    built = build_rows(_candidates(segments, tasks), CONFIG, Workers(lambda: tools))
    rows = list(built.rows)
    counts = Counter(f"{source[row.chosen_id[:6]].source} {row.made_from}" for row in rows)
    return rows, counts, counts_by_reason(built.rejects)


def _candidates(segments: Sequence[Cut], tasks: bool) -> Iterator[Candidate | Reject]:
    for cut in segments:
        label = cut.label()
        wide = as_candidate(cut, label, known=cut.gold.get("success"), kind="preference")
        if tasks and isinstance(wide, Candidate) and cut.gold.get("task"):
            wide = replace(wide, task_id=f"{cut.source} {cut.gold['task']}")
        yield wide
        whole = wide if isinstance(wide, Candidate) else as_candidate(cut, label, known=True)
        if isinstance(whole, Candidate):
            yield from corrected(replace(whole, task_id=""))
