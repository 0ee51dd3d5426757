"""Task boundaries, topics and outcomes on the native sessions that readers annotated (gold/native/guide.md).

    python benchmarks/native.py --logs DIR [--half development] [--titles]

DIR is what `benchmarks/gold/native/gather.py` made. One JSON object a line, `set` says which:

boundaries, with the repository left out of the fit and shipped: `f1` over all boundaries of the half (hit: the same
message), `floor` the F1 of a cut at each turn of a person; a session that cannot be read counts with its gold.
topics: `own`, the share of sessions whose topic lies nearer to their own gold title than to any other of the half by
the offline embedder (chance: one in n); how useful a topic is only a reader can say: `--titles` prints both.
outcomes_last: of the last task of each session, as the segmenter cuts it: `named`, the share with another outcome than
unknown, and `right`, the share of these that say what the reader said; `majority` is what always naming the commonest
outcome reaches. outcomes_gold: the same over all tasks, cut where readers cut. `auc` there is of `success_probability`,
success against the rest, over all that have one.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from inputs.native import Half, Read, Row, read_all
from label_parts.figures import auc
from training import openings
from training.segmenter import decode, prepare

from ultron_core.embeddings.local import local_embedder
from ultron_core.labels import label_segment
from ultron_core.models import Message, QualityLabel
from ultron_core.segments.offline.cut import cut_offline
from ultron_core.segments.offline.weights import load_combiners
from ultron_core.segments.topic import title_of
from ultron_core.transcript.people import is_request


@dataclass(frozen=True)
class Cut:
    """One session with the first messages of the segments that we cut, 0 first."""

    read: Read
    starts: tuple[int, ...]

    @property
    def first(self) -> tuple[Message, ...]:
        return self.read.messages[: self.starts[1]] if len(self.starts) > 1 else self.read.messages

    @property
    def last(self) -> tuple[Message, ...]:
        return self.read.messages[self.starts[-1] :]


def cut_all(read: Sequence[Read]) -> list[Cut]:
    """As the shipped segmenter cuts them."""
    starts = cut_offline([one.messages for one in read])
    return [Cut(one, tuple(own or (0,))) for one, own in zip(read, starts, strict=True)]


def cut_unseen(logs: Path) -> list[Cut]:
    """The development half as a fit cuts it that saw no session of the same repository."""
    examples = prepare(openings.native_sessions(logs))
    read = read_all(logs, "development")
    fits = {e.dialogue.group: openings.without(e.dialogue.group) for e in examples}
    return [
        Cut(one, (0, *decode(e, load_combiners(), fits[e.dialogue.group])))
        for one, e in zip(read, examples, strict=True)
    ]


def boundaries(cuts: Sequence[Cut], fit: str) -> Row:
    """F1 over the messages that open another task."""
    gold = made = hit = turns = turn_hit = 0
    for one in cuts:
        messages = one.read.messages
        wanted = {one.read.opened_at(row) for row in one.read.gold["boundary"]}
        found = {
            next((i for i in range(s, len(messages)) if is_request(messages[i])), s) for s in one.starts[1:]
        }
        requests = {i for i, m in enumerate(messages) if is_request(m)}
        requests -= {min(requests, default=0)}
        gold, made, turns = gold + len(one.read.gold["boundary"]), made + len(found), turns + len(requests)
        hit, turn_hit = hit + len(found & wanted), turn_hit + len(requests & wanted)
    return {
        "set": "boundaries",
        "fit": fit,
        "sessions": len(cuts),
        "gold": gold,
        "made": made,
        "hit": hit,
        "f1": _f1(hit, made, gold),
        "floor": _f1(turn_hit, turns, gold),
    }


def _f1(hit: int, made: int, gold: int) -> float:
    return round(2 * hit / max(1, made + gold), 4)


@dataclass(frozen=True)
class Told:
    """What a reader and we say of how a task ended."""

    session: str
    gold: str
    label: QualityLabel | None

    @property
    def named(self) -> str:
        return self.label.summary.outcome if self.label else "unknown"


def topics(cuts: Sequence[Cut]) -> Iterator[Row]:
    """Whether topics tell the sessions apart, then each beside its gold title."""
    told = [title_of(one.first) if one.first else "" for one in cuts]
    gold = [one.read.gold["title"][0]["title"] for one in cuts]
    near = local_embedder().embed(told) @ local_embedder().embed(gold).T
    own = int((near.argmax(axis=1) == np.arange(len(cuts))).sum())
    yield {"set": "topics", "n": len(cuts), "own": round(own / len(cuts), 3)}
    yield from (
        {"set": "title", "session": one.read.id, "topic": t, "gold": g}
        for one, t, g in zip(cuts, told, gold, strict=True)
    )


def last_outcomes(cuts: Sequence[Cut]) -> list[Told]:
    """Of the last task of each session, as we cut it."""
    found = []
    for one in cuts:
        last = max(one.read.gold["outcome"], key=lambda row: int(row["task_line"]))
        found.append(Told(one.read.id, str(last["outcome"]), label_segment(one.last) if one.last else None))
    return found


def gold_outcomes(read: Sequence[Read]) -> list[Told]:
    """Of every task, cut where the reader cut, with the turn that opens the next one."""
    found = []
    for one in read:
        tasks = sorted(one.gold["outcome"], key=lambda row: int(row["task_line"]))
        at = {id(row): one.opened_at(row, "task_line") for row in tasks[1:]}
        known = [row for row in tasks[1:] if at[id(row)]]
        cuts = [0, *(at[id(row)] or 0 for row in known), len(one.messages)]
        for row, (start, end) in zip([tasks[0], *known], pairwise(cuts), strict=True):
            own = one.messages[start:end]
            behind = one.messages[end] if end < len(one.messages) else None
            label = label_segment(own, following=behind) if own else None
            found.append(Told(one.id, str(row["outcome"]), label))
    return found


def outcomes(name: str, told: Sequence[Told]) -> Row:
    """How many are named, and how many of these are right."""
    known = Counter(one.gold for one in told)
    named = [(one.gold, one.named) for one in told if one.named != "unknown"]
    right = sum(gold == own for gold, own in named)
    chances = [
        (one.gold == "success", one.label.summary.success_probability)
        for one in told
        if one.label is not None
    ]
    chances = [(won, chance) for won, chance in chances if chance is not None]
    ends = np.array([won for won, _ in chances])
    mixed = 0 < ends.sum() < len(ends)
    return {
        "set": name,
        "n": len(told),
        "named": round(len(named) / len(told), 3),
        "right": round(right / len(named), 3) if named else None,
        "majority": round(known.most_common(1)[0][1] / len(told), 3),
        "gold": dict(known),
        "pairs": {f"{gold}>{own}": n for (gold, own), n in sorted(Counter(named).items())},
        "auc": round(auc(ends, np.array([chance for _, chance in chances])), 3) if mixed else None,
    }


def measure(logs: Path, half: Half) -> Iterator[Row]:
    """All rows of one half; one that says `skipped` where the logs are missing."""
    base = {"benchmark": "native", "half": half}
    read = read_all(logs, half)
    if not read:
        yield {**base, "skipped": "no logs: run gather.py first"}
        return
    cuts = cut_all(read)
    if half == "development":
        yield {**base, **boundaries(cut_unseen(logs), "repository left out")}
    yield {**base, **boundaries(cuts, "shipped")}
    yield from ({**base, **row} for row in topics(cuts))
    yield {**base, **outcomes("outcomes_last", last_outcomes(cuts))}
    yield {**base, **outcomes("outcomes_gold", gold_outcomes(read))}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--logs", type=Path, required=True)
    parser.add_argument("--half", choices=("development", "reserve"), default="development")
    parser.add_argument("--titles", action="store_true", help="print each topic beside its gold title")
    given = parser.parse_args()
    for row in measure(given.logs, given.half):
        if given.titles or row.get("set") != "title":
            print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
