"""What the dataset export ships, what it loses on the way, and how fast it is; one JSON object a line.

    python benchmarks/sft.py [--data DIR] [--rows 1000,10000] [--skip-speed] [--datatrove PYTHON]

`yield_*`: segments of a source that pass the gate (`passed`), rows made of them and what the rest was lost to; evidence
is not asked. `shipped_*`: runs with known ends, labels by models fitted without the source; `base_rate` of the source,
`gate_precision` of what ships with evidence `any`; `likely` of them ship by default. `shipped`: the lift over the
sources, each run weighed by its own source's base rate, with the 90 % interval of a bootstrap over tasks.
`shipped_half_imported`: the same with the ends of a random half of the runs imported. `pairs`: runs with known ends in
pairs, once with their tasks as imported, once by the words of the request. `near_pairs`: 4,000 generated pairs;
`near_shared`: every pair of the shared rows compared exactly. `same_task`: pairs of sessions, by `task` label.
`beside_datatrove`: filter and deduplication of the same rows here and by datatrove, milliseconds of CPU a row.
`speed_*`: rows made from the shared segments in a database, redaction on: a first export, a second one, and one with a
hundredth of new rows, in a program of its own; `peak_mb` is of all processes but the database's, a page that several
share counted once (PSS), `peak_mb_each` of each.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from inputs.lockbox import guarded, is_lockbox
from inputs.places import arguments
from inputs.sources import OUTCOME_SOURCES, group_of
from label_parts.fit import fit_work
from label_parts.runs import independent, load_runs, outcome_names
from sft_parts.beside import beside
from sft_parts.halves import halves
from sft_parts.pairs import pairs_of
from sft_parts.segments import Cut, as_candidate, cuts
from sft_parts.speed import speed

from ultron_core.labels.success import shipped_models
from ultron_core.llm.tokens import token_counter
from ultron_core.models import QualityLabel
from ultron_core.sft import BuildConfig, Built, Candidate, Reject, Tools, Workers, build_rows
from ultron_core.sft.curate.dedup import band_keys, near_duplicates
from ultron_core.sft.curate.same_task import task_key
from ultron_core.sft.curate.shingles import Shingles, compared_text, jaccard, shingles
from ultron_core.sft.shape.normalize import normalize_messages

#: reasons that say nothing of a row's own quality
NAMED = {"too_long", "exact_duplicate", "near_duplicate", "in_evaluation_set", "secret_after_redaction"}
ALL = BuildConfig(limit=10**9)


def emit(**row: Any) -> None:
    print(json.dumps({"benchmark": "sft", **row}, ensure_ascii=False), flush=True)


def built(candidates: Sequence[Candidate | Reject]) -> Built:
    """Without redaction: what is asked here does not depend on it."""
    return build_rows(candidates, ALL, Workers(lambda: Tools(list, lambda text: False, token_counter())))


def yields(segments: Sequence[Cut]) -> list[tuple[Cut, Candidate]]:
    """Rows and losses a source; returns the candidates."""
    candidates = [(cut, as_candidate(cut, cut.label())) for cut in segments]
    passed = [(cut, found) for cut, found in candidates if isinstance(found, Candidate)]
    source = {found.segment_id: cut.source for cut, found in passed}
    done = built([found for _, found in passed])
    lost: dict[str, Counter[str]] = defaultdict(Counter)
    for reject in done.rejects:
        lost[source[reject.segment_id]][reject.reason] += 1
    total: Counter[str] = Counter()
    for name, count in sorted(Counter(source.values()).items()):
        total += lost[name]
        emit(set=f"yield_{name}", passed=count, kept=count - lost[name].total(), lost=dict(lost[name]))
    own = sum(count for reason, count in total.items() if reason not in NAMED)
    repairs: Counter[str] = Counter()
    for row in done.rows:
        repairs.update(json.loads(row.repairs))
    emit(
        set="yield",
        n=len(segments),
        passed=len(passed),
        kept=len(done.rows),
        lost=dict(total),
        lost_share=round(own / max(1, len(passed)), 4),
        repairs=dict(repairs),
        ends_with_call=sum(row.ends_with_call for row in done.rows),
    )
    return passed


def shipped(data: Path, segments: Sequence[Cut]) -> None:
    """What ships of the runs with known ends, by labels of models that never saw the source."""
    names = outcome_names(data)
    sets = independent({name: load_runs(data, name) for name in names})
    fitted = not is_lockbox(data) and set(OUTCOME_SOURCES) <= set(names)
    runs = [cut for cut in segments if cut.source in names and cut.start == 0 and "success" in cut.gold]
    kept: dict[str, list[tuple[str, int]]] = {}
    rates: dict[str, float] = {}
    likely: Counter[str] = Counter()
    labelled: list[tuple[Cut, QualityLabel]] = []
    for name in names:
        others = [
            sets[other] for other in OUTCOME_SOURCES if other in sets and group_of(other) != group_of(name)
        ]
        models = {**shipped_models(), "work": fit_work(others)} if fitted else shipped_models()
        own = {f"{cut.number:06d}": cut for cut in runs if cut.source == name and not _twin(cut)}
        if not own:
            continue
        labels = [(cut, cut.label(models)) for cut in own.values()]
        labelled += labels
        done = built([as_candidate(cut, label) for cut, label in labels])
        ends = [
            (str(own[row.id].gold.get("task") or row.id), int(own[row.id].gold["success"]))
            for row in done.rows
        ]
        known = [row.evidence for row in done.rows]
        rates[name] = sum(int(cut.gold["success"]) for cut in own.values()) / len(own)
        kept[name] = ends
        likely[name] = sum(kind != "unknown" for kind in known)
        right = sum(end for _, end in ends)
        low, high = wilson(right, len(ends))
        emit(
            set=f"shipped_{name}",
            n=len(own),
            kept=len(ends),
            likely=likely[name],
            base_rate=round(rates[name], 3),
            gate_precision=round(right / len(ends), 3) if ends else None,
            low=low,
            high=high,
        )
    emit(set="shipped", fit="left_out" if fitted else "shipped", likely=likely.total(), **lift(kept, rates))
    emit(set="shipped_half_imported", **halves(labelled, built))


def pairs(segments: Sequence[Cut]) -> None:
    """Runs with known ends in pairs, with the tasks of the outcomes file, and by the words of the request alone."""
    gold = {f"{cut.number:06d}": cut.gold for cut in segments}
    for name, tasks in (("pairs", True), ("pairs_by_words", False)):
        rows, sources, lost = pairs_of(segments, tasks=tasks)
        sides = [(gold[row.chosen_id[:6]], gold[row.rejected_id[:6]]) for row in rows]
        known = [(one, other) for one, other in sides if "success" in one and "success" in other]
        emit(
            set=name,
            n=len(rows),
            known=len(known),
            sources=dict(sources),
            equal_outcomes=sum(one["success"] == other["success"] for one, other in known),
            same_task=sum(one.get("task") == other.get("task") for one, other in known),
            one_run_twice=sum(Path(one["file"]).name == Path(other["file"]).name for one, other in known),
            lost=dict(lost),
        )


def _twin(cut: Cut) -> bool:
    return bool(cut.gold.get("same_as"))


def wilson(right: int, count: int, z: float = 1.645) -> tuple[float, float]:
    """90 % interval of a share."""
    if not count:
        return 0.0, 1.0
    p, square = right / count, z * z / count
    middle, spread = p + square / 2, z * (p * (1 - p) / count + square / (4 * count)) ** 0.5
    return round((middle - spread) / (1 + square), 3), round((middle + spread) / (1 + square), 3)


def lift(kept: Mapping[str, Sequence[tuple[str, int]]], rates: Mapping[str, float]) -> dict[str, Any]:
    """Right rows over the sum of their own source's base rate; the plain pooled lift beside it."""
    flat = [(f"{name}/{task}", end, rates[name]) for name, ends in kept.items() for task, end in ends]
    expected = sum(rate for _, _, rate in flat)
    if not expected:
        return {"n": len(flat)}
    by_task: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for task, end, rate in flat:
        by_task[task].append((end, rate))
    tasks, rng = list(by_task.values()), random.Random(5)
    draws = []
    for _ in range(2000):
        drawn = [pair for task in rng.choices(tasks, k=len(tasks)) for pair in task]
        draws.append(sum(end for end, _ in drawn) / (sum(rate for _, rate in drawn) or 1))
    right = sum(end for _, end, _ in flat)
    return {
        "n": len(flat),
        "sources": sum(bool(ends) for ends in kept.values()),
        "gate_precision": round(right / len(flat), 3),
        "lift": round(right / expected, 3),
        "low": round(float(np.quantile(draws, 0.05)), 3),
        "high": round(float(np.quantile(draws, 0.95)), 3),
    }


def near_pairs(threshold: float = 0.7) -> None:
    rng, start = np.random.default_rng(11), time.perf_counter()
    below = joined_below = above = joined_above = 0
    for n in range(4000):
        similar = (n + 0.5) / 4000
        size = int(rng.integers(50, 1500))
        both = round(2 * size * similar / (1 + similar))
        values = rng.integers(0, 2**63, size=2 * size - both, dtype=np.uint64)
        sets = [np.unique(values[:size]), np.unique(values[size - both :])]
        true = jaccard(*sets)
        joined = near_duplicates(band_keys(sets, threshold), sets.__getitem__, threshold)[1][0] == 0
        below += true < threshold
        joined_below += true < threshold and joined
        above += true >= threshold + 0.05
        joined_above += true >= threshold + 0.05 and joined
    emit(
        set="near_pairs",
        n=4000,
        below=below,
        joined_below=joined_below,
        above=above,
        joined_above=joined_above,
        seconds=round(time.perf_counter() - start, 1),
    )


def near_shared(segments: Sequence[Cut], threshold: float = 0.7) -> None:
    """Every segment that can be a row, whatever its score, against every other, exactly."""
    start = time.perf_counter()
    sets: list[Shingles] = []
    for cut in segments:
        normal = normalize_messages(cut.messages, cut.info.tools, system=cut.system, continues=cut.start > 0)
        if not normal.reason:
            sets.append(shingles(compared_text(normal.messages)))
    found = near_duplicates(band_keys(sets, threshold), sets.__getitem__, threshold)
    kept = [i for i, (other, _) in enumerate(found) if other < 0]
    wrong = sum(
        other >= 0 and jaccard(sets[i], sets[other]) < threshold for i, (other, _) in enumerate(found)
    )
    emit(
        set="near_shared",
        n=len(sets),
        dropped=len(sets) - len(kept),
        dropped_below=wrong,
        kept_above=sum(1 for _ in _alike([sets[i] for i in kept], threshold)),
        seconds=round(time.perf_counter() - start, 1),
    )


def _alike(sets: Sequence[Shingles], threshold: float) -> Iterator[tuple[int, int]]:
    """Pairs at or above the threshold, by comparing all that share a shingle and whose sizes allow it."""
    holders: dict[int, list[int]] = defaultdict(list)
    for i, own in enumerate(sets):
        others = Counter(j for value in own.tolist() for j in holders[value])
        for j, both in others.items():
            if both / (len(own) + len(sets[j]) - both) >= threshold:
                yield j, i
        for value in own.tolist():
            holders[value].append(i)


def same_task(segments: Sequence[Cut]) -> None:
    by_source: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for cut in segments:
        if cut.start == 0 and cut.thread == "main" and cut.gold.get("task"):
            asked = next(
                (m.content for m in cut.messages if m.role == "user" and m.origin in {"human", "model"}), ""
            )
            by_source[cut.source].append((task_key(cut.source, asked), str(cut.gold["task"])))
    total: Counter[str] = Counter()
    for name, rows in sorted(by_source.items()):
        counts: Counter[str] = Counter()
        for one, other in combinations(rows, 2):
            counts["joined"] += one[0] == other[0]
            counts["same"] += one[1] == other[1]
            counts["right"] += one == other
        if counts["joined"] or counts["same"]:
            emit(set=f"same_task_{name}", n=len(rows), **counts)
        total += counts
    emit(
        set="same_task",
        **total,
        precision=round(total["right"] / max(1, total["joined"]), 3),
        recall=round(total["right"] / max(1, total["same"]), 3),
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rows", default="1000", help="sizes of the speed test, separated by commas")
    parser.add_argument("--workers", type=int, default=2, help="processes of the speed test")
    parser.add_argument("--skip-speed", action="store_true")
    parser.add_argument("--datatrove", metavar="PYTHON", help="of an environment that has datatrove")
    options = parser.parse_args()
    with guarded("sft", options.data):
        segments = list(cuts(options.data))
        if not segments:
            emit(set="yield", skipped="no sessions in the data folder")
            return
        passed = yields(segments)
        shipped(options.data, segments)
        pairs(segments)
        near_pairs()
        near_shared(segments)
        same_task(segments)
        if passed and options.datatrove and not is_lockbox(options.data):
            emit(**beside(passed, 2000, options.datatrove))
        if passed and not options.skip_speed and not is_lockbox(options.data):
            for rows in map(int, options.rows.split(",")):
                for row in speed(passed, rows, options.workers):
                    emit(**row)


if __name__ == "__main__":
    main()
