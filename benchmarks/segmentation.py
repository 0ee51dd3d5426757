"""How well tasks are told apart: the offline segmenter beside simple methods, on dialogues with known boundaries.

    python benchmarks/segmentation.py [--data DIR]

Scores every set of DIR that has boundaries or one task a session, and the native sessions of benchmarks/gold. One
JSON object a line: benchmark, set, method, fit, n (dialogues), seconds, f1, f1_1 (within one message), pk, windowdiff,
single (dialogues of one task), whole (share of these left whole), cuts, cuts_in_pair.

`fit` says what `offline` was. On the data that the shipped weights were fitted on: "source left out" (the headline:
fitted again without the set, its tasks in other sets, and for single tasks and native sessions every piece of the
repository), then "in source" (fitted again without the fold and without any task in it), then "shipped", which has
seen the set. On any other DIR "shipped" alone: nothing is fitted there.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from inputs.dialogues import SINGLE, STITCHED, TURNS, Dialogue, archive_of, load, sets_in
from inputs.lockbox import guarded
from inputs.marked import REPOSITORY, development, marked_sessions
from inputs.places import ROOT, arguments
from inputs.stitch import FAMILY
from sklearn.feature_extraction.text import TfidfVectorizer
from training import openings
from training import segmenter as training
from training.segmenter import Example

from ultron_core.lessons.weights import NamedWeights
from ultron_core.segments.offline.weights import Combiners, load_combiners
from ultron_core.transcript.pairs import closed_positions

#: the name of the rows of all marked native sessions
NATIVE = "native"
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
        "single": single,
        "whole": _ratio(whole, single),
        "cuts": cuts,
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


def is_fitted_data(data: Path) -> bool:
    """Whether `data` holds the very files that the shipped weights were fitted on."""
    raw = json.loads((ROOT / "ultron_core" / "segments" / "offline" / "weights.json").read_text("utf-8"))
    sums = {s["sha256"] for s in raw["provenance"]["sets"]}
    files = [archive_of(data, name) for name in training.FIT_SETS]
    return all(f.exists() and hashlib.sha256(f.read_bytes()).hexdigest() in sums for f in files)


@dataclass
class Fits:
    """Combiners fitted on part of the data: `known` sets of the fit, sessions made of them, native ones outside the
    reserve."""

    known: dict[str, list[Example]]
    made: list[Example]
    native: list[Example]
    without_source: dict[str, Combiners] = field(default_factory=dict)
    openings: dict[str, NamedWeights] = field(default_factory=dict)

    def without_set(self, name: str) -> Combiners:
        """Without one set and every task that it shares with another."""
        rest = [e for n, own in self.known.items() if n != name for e in own]
        unseen = set().union(*(e.tasks for e in self.known[name]))
        return training.fit([*rest, *self.made, *self.native], unseen)

    def without(self, source: str) -> Combiners:
        """Without any piece of one repository, in whatever set it stands."""
        if source not in self.without_source:
            rest = [e for own in self.known.values() for e in own]
            self.without_source[source] = training.fit([*rest, *self.made, *self.native], (), {source})
        return self.without_source[source]

    def in_source(self) -> dict[str, list[int]]:
        """Boundaries of each dialogue of the fit, from combiners that saw neither it nor a task of its fold."""
        found: dict[str, list[int]] = {}
        examples = [e for own in self.known.values() for e in own]
        rest = [*self.made, *self.native]
        training.out_of_fold(examples, rest, lambda e, cuts: found.update({e.dialogue.name: cuts}))
        return found


def left_out(name: str, examples: Sequence[Example], fits: Fits) -> Predicted | None:
    """Boundaries by combiners that never saw the source of the set; None when the fit never saw it anyway."""
    if name == NATIVE:
        return [(e.dialogue, _without_its_set(e, fits)) for e in examples]
    if name in STITCHED or name in TURNS:
        if name not in fits.known:
            return None
        combiners = fits.without_set(name)
    elif any(e.positions for e in examples):
        combiners = fits.without(FAMILY.get(name, name))
    else:  # one request a session: there is nothing to decide
        return [(e.dialogue, []) for e in examples]
    return [(e.dialogue, training.decode(e, combiners)) for e in examples]


def _without_its_set(example: Example, fits: Fits) -> list[int]:
    group = example.dialogue.group
    if group not in fits.openings:
        fits.openings[group] = openings.without(group)
    return training.decode(example, fits.without(REPOSITORY[group]), fits.openings[group])


def lines_of(name: str, examples: Sequence[Example], fits: Fits | None, in_source: Mapping) -> Iterator[dict]:
    shipped = load_combiners()
    if fits is not None and (unseen := left_out(name, examples, fits)) is not None:
        yield _line(name, "offline", unseen, None, fit="source left out")
    own = [(e.dialogue, in_source[e.dialogue.name]) for e in examples if e.dialogue.name in in_source]
    if own:
        yield _line(name, "offline", own, None, fit="in source")
    methods: dict[str, Callable[[Example], list[int]]] = {
        "offline": lambda e: training.decode(e, shipped),
        "tfidf_tiling": tfidf_tiling,
        "no_cut": no_cut,
        "every_user_turn": every_turn,
    }
    for method, cut in methods.items():
        begun = time.perf_counter()
        predicted = [(e.dialogue, cut(e)) for e in examples]
        seconds = time.perf_counter() - begun
        fit = {"fit": "shipped"} if method == "offline" else {}
        yield _line(name, method, predicted, seconds, **fit)


def _line(name: str, method: str, predicted: Predicted, seconds: float | None, **more: object) -> dict:
    return {
        "benchmark": "segmentation",
        "set": name,
        "method": method,
        **more,
        "n": len(predicted),
        "seconds": round(seconds, 3) if seconds is not None else None,
        **scores(predicted),
    }


def beside_sources(prepared: Mapping[str, list[Example]], fits: Fits) -> Iterator[dict]:
    """The boundaries beside the pieces of one source in the stitched sets, by combiners that never saw it."""
    stitched = [e for n in STITCHED for e in prepared.get(n, ())]
    for source in ("tau", "aider", "glaive", "hotpot", "whowhen", "crosswoz"):
        combiners = fits.without(source)
        hit = cuts = gold = 0
        for example in stitched:
            beside = {p for p in example.positions if source in _sources_at(example.dialogue, p)}
            found = set(training.decode(example, combiners)) & beside if beside else set()
            wanted = set(example.dialogue.boundaries) & beside
            hit, cuts, gold = hit + len(found & wanted), cuts + len(found), gold + len(wanted)
        fit = "source left out"
        row = {"benchmark": "segmentation", "set": f"beside:{source}", "method": "offline", "fit": fit}
        yield row | {"boundaries": gold, "f1": _f1(hit, hit, cuts, gold)}


def _sources_at(dialogue: Dialogue, position: int) -> set[str]:
    pools = (dialogue.piece_at(position - 1)[0], dialogue.piece_at(position)[0])
    return {FAMILY.get(pool, pool) for pool in pools}


def main() -> None:
    options = arguments(__doc__).parse_args()
    with guarded("segmentation", options.data):
        measure_all(options.data)


def measure_all(data: Path) -> None:
    prepared: dict[str, list[Example]] = {}
    took: dict[str, float] = {}
    for name in [*sets_in(data), NATIVE]:
        begun = time.perf_counter()
        dialogues = marked_sessions(data) if name == NATIVE else load(data, name)
        if dialogues:
            prepared[name] = training.prepare(dialogues)
            took[name] = round(time.perf_counter() - begun, 2)
    for name in (n for n in (*STITCHED, *TURNS, *SINGLE, NATIVE) if n not in prepared):
        print(json.dumps({"benchmark": "segmentation", "set": name, "skipped": "not in the data folder"}))
    fits = fits_on(data, prepared) if is_fitted_data(data) else None
    in_source = fits.in_source() if fits else {}
    for name, examples in prepared.items():
        for line in lines_of(name, examples, fits, in_source):
            print(json.dumps(line | {"read_and_embed_seconds": took[name]}), flush=True)
    if fits:
        for line in beside_sources(prepared, fits):
            print(json.dumps(line), flush=True)


def fits_on(data: Path, prepared: Mapping[str, list[Example]]) -> Fits:
    known = {name: prepared[name] for name in training.FIT_SETS}
    allowed = development(data)
    native = [e for e in prepared.get(NATIVE, ()) if e.dialogue.name in allowed]
    others = [e for n in training.MADE_OF for e in prepared.get(n, ())]
    pieces = [*(e for own in known.values() for e in own), *others, *native]
    return Fits(known, training.made_examples(data, pieces), native)


if __name__ == "__main__":
    main()
