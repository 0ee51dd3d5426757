"""How well tasks are told apart: the offline segmenter beside simple methods, on dialogues with known boundaries.

    python benchmarks/segmentation.py [--data DIR] [--leave-out]

One JSON object a line: benchmark, set, method, n (dialogues), seconds, f1, f1_1 (within one message), pk,
windowdiff, whole (share of single-task dialogues left whole), cuts_in_pair. `fit` says what `offline` was:
"out-of-fold" on a file the shipped weights were fitted on (they are fitted again without the fold), else
"shipped". `offline_shipped` is always the shipped weights. --leave-out adds one line a source of the fit: the
combiner fitted on all other sets; and one line a source, left out of every set, judged at the turns beside it.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import train_segmenter as training
from inputs.dialogues import SINGLE, STITCHED, TURNS, Dialogue, archive_of, load
from inputs.lockbox import guarded
from inputs.places import ROOT, arguments
from inputs.stitch import FAMILY
from sklearn.feature_extraction.text import TfidfVectorizer
from train_segmenter import Example

from ultron_core.segments.offline.weights import load_combiner
from ultron_core.transcript.pairs import closed_positions

SETS = (*STITCHED, *TURNS, *SINGLE, "huge_session")
Predicted = Sequence[tuple[Dialogue, list[int]]]
#: TF-IDF tiling cuts where a turn and the one before share less than this (TextTiling, Hearst 1997)
TILING_COSINE = 0.05


def scores(predicted: Predicted) -> dict[str, float | int | None]:
    """Micro F1 over boundaries, windowed errors with k = half the mean segment length, and cuts that must not be."""
    hit = near = near_gold = cuts = gold_count = single = whole = broken = 0
    lengths = [len(d.messages) for d, _ in predicted]
    segments = sum(len(d.boundaries) + 1 for d, _ in predicted)
    k = max(round(sum(lengths) / max(segments, 1) / 2), 1)
    errors = {"pk": 0, "windowdiff": 0, "windows": 0}
    for dialogue, found in predicted:
        gold = set(dialogue.boundaries)
        hit += len(gold & set(found))
        near += sum(any(abs(f - g) <= 1 for g in gold) for f in found)
        near_gold += sum(any(abs(f - g) <= 1 for f in found) for g in gold)
        cuts += len(found)
        gold_count += len(gold)
        single += not gold
        whole += not gold and not found
        broken += len(set(found) & closed_positions(dialogue.messages))
        _windowed(errors, len(dialogue.messages), gold, set(found), k)
    return {
        "f1": _f1(hit, hit, cuts, gold_count),
        "f1_1": _f1(near, near_gold, cuts, gold_count),
        "pk": _ratio(errors["pk"], errors["windows"]),
        "windowdiff": _ratio(errors["windowdiff"], errors["windows"]),
        "whole": _ratio(whole, single),
        "cuts_in_pair": broken,
    }


def _windowed(errors: dict[str, int], length: int, gold: set[int], found: set[int], k: int) -> None:
    """Pk (Beeferman et al. 1999) and WindowDiff (Pevzner and Hearst 2002) over all windows of k messages."""
    gold_before = np.cumsum([i in gold for i in range(length)])
    found_before = np.cumsum([i in found for i in range(length)])
    for i in range(length - k):
        in_gold = gold_before[i + k] - gold_before[i]
        in_found = found_before[i + k] - found_before[i]
        errors["pk"] += (in_gold > 0) != (in_found > 0)
        errors["windowdiff"] += in_gold != in_found
        errors["windows"] += 1


def _f1(hit: int, hit_gold: int, cuts: int, gold: int) -> float | None:
    if not gold:
        return None
    precision, recall = hit / max(cuts, 1), hit_gold / gold
    return round(2 * precision * recall / max(precision + recall, 1e-9), 4)


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def no_cut(example: Example) -> list[int]:
    return []


def every_turn(example: Example) -> list[int]:
    return [t.position for t in example.turns[1:] if t.may_start]


def tfidf_tiling(example: Example) -> list[int]:
    """A cut at each user turn whose words hardly occur in the exchange before (words, or Chinese characters)."""
    texts = [f"{t.text} {t.reply}" for t in example.turns]
    if len(texts) < 2:
        return []
    table = TfidfVectorizer(token_pattern=r"[A-Za-z0-9_]{2,}|[\u4e00-\u9fff]").fit_transform(texts)
    near = np.asarray(table[1:].multiply(table[:-1]).sum(axis=1)).ravel()
    return [
        t.position for t, c in zip(example.turns[1:], near, strict=True) if t.may_start and c < TILING_COSINE
    ]


def fitted_on(data: Path, name: str) -> bool:
    """Whether this very file is one that the shipped weights were fitted on."""
    raw = json.loads((ROOT / "ultron_core" / "segments" / "offline" / "weights.json").read_text("utf-8"))
    sums = {s["sha256"] for s in raw["provenance"]["sets"]}
    return hashlib.sha256(archive_of(data, name).read_bytes()).hexdigest() in sums


def lines_of(name: str, examples: Sequence[Example], held_out: dict[str, list[int]]) -> Iterator[dict]:
    shipped = load_combiner()
    methods: dict[str, Callable[[Example], list[int]]] = {
        "offline_shipped": lambda e: training.decode(e, shipped),
        "tfidf_tiling": tfidf_tiling,
        "no_cut": no_cut,
        "every_user_turn": every_turn,
    }
    own = [(e.dialogue, held_out[e.dialogue.name]) for e in examples if e.dialogue.name in held_out]
    if own:
        yield _line(name, "offline", own, None, fit="out-of-fold")
    for method, cut in methods.items():
        begun = time.perf_counter()
        predicted = [(e.dialogue, cut(e)) for e in examples]
        seconds = time.perf_counter() - begun
        if method == "offline_shipped" and not own:
            yield _line(name, "offline", predicted, seconds, fit="shipped")
        yield _line(name, method, predicted, seconds)


def _line(name: str, method: str, predicted: Predicted, seconds: float | None, **more: object) -> dict:
    return {
        "benchmark": "segmentation",
        "set": name,
        "method": method,
        "n": len(predicted),
        "seconds": round(seconds, 3) if seconds is not None else None,
        **scores(predicted),
        **more,
    }


def leave_out(prepared: dict[str, list[Example]], made: Sequence[Example]) -> Iterator[dict]:
    """Each source judged by a combiner fitted on all the others, tasks that both hold left out."""
    for name in (n for n in training.FIT_SETS if n in prepared):
        rest = [e for n in training.FIT_SETS if n != name for e in prepared.get(n, ())]
        unseen = set().union(*(e.tasks for e in prepared[name]))
        combiner = training.fit([*rest, *made], unseen)
        predicted = [(e.dialogue, training.decode(e, combiner)) for e in prepared[name]]
        yield _line(name, "leave_one_source_out", predicted, None)


SOURCES = {
    "tau": ("tau_airline_openai",),
    "aider": ("aider_swebench_lite",),
    "glaive": ("glaive_toolcall_en", "glaive_toolcall_zh"),
    "whowhen": (),
    "crosswoz": (),
}


def leave_source_out(prepared: dict[str, list[Example]], made: Sequence[Example]) -> Iterator[dict]:
    """A combiner that saw no piece of the source in any set: its single tasks, and its turns in stitched sets."""
    known = [e for n in training.FIT_SETS for e in prepared.get(n, ())]
    stitched = [e for n in STITCHED for e in prepared.get(n, ())]
    for source, single in SOURCES.items():
        combiner = training.fit([*known, *made], (), {source})
        talks = [e for n in single for e in prepared.get(n, ())]
        hit = cuts = gold = 0
        for example in stitched:
            beside = {p for p in example.positions if source in _sources_at(example.dialogue, p)}
            found = set(training.decode(example, combiner)) & beside
            wanted = set(example.dialogue.boundaries) & beside
            hit, cuts, gold = hit + len(found & wanted), cuts + len(found), gold + len(wanted)
        whole = sum(not training.decode(e, combiner) for e in talks)
        yield {
            "benchmark": "segmentation",
            "set": f"source:{source}",
            "method": "source_left_out_everywhere",
            "n": len(talks),
            "f1": _f1(hit, hit, cuts, gold),
            "whole": _ratio(whole, len(talks)),
        }


def _sources_at(dialogue: Dialogue, position: int) -> set[str]:
    pools = (dialogue.piece_at(position - 1)[0], dialogue.piece_at(position)[0])
    return {FAMILY.get(pool, pool) for pool in pools}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--leave-out", action="store_true", help="also fit without each source in turn")
    options = parser.parse_args()
    with guarded("segmentation", options.data):
        measure_all(options.data, options.leave_out)


def measure_all(data: Path, leave_out_sources: bool) -> None:
    prepared: dict[str, list[Example]] = {}
    took: dict[str, float] = {}
    for name in SETS:
        begun = time.perf_counter()
        dialogues = load(data, name)
        if not dialogues:
            print(json.dumps({"benchmark": "segmentation", "set": name, "skipped": "not in the data folder"}))
            continue
        prepared[name] = training.prepare(dialogues)
        took[name] = round(time.perf_counter() - begun, 2)
    known = [n for n in training.FIT_SETS if n in prepared and fitted_on(data, n)]
    held_out: dict[str, list[int]] = {}
    made: list[Example] = []
    if known:
        examples = [e for n in known for e in prepared[n]]
        made = training.made_examples(
            data, [e for n in (*known, *training.MADE_OF) for e in prepared.get(n, ())]
        )
        training.out_of_fold(examples, made, lambda e, found: held_out.update({e.dialogue.name: found}))
    for name, examples in prepared.items():
        for line in lines_of(name, examples, held_out if name in known else {}):
            print(json.dumps(line | {"read_and_embed_seconds": took[name]}), flush=True)
    if leave_out_sources and known:
        for line in (*leave_out(prepared, made), *leave_source_out(prepared, made)):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
