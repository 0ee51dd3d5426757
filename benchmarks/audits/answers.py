"""What the offline rules make of single answers of agents, beside what a note-taker would keep of them.

    python benchmarks/audits/answers.py --data FILE [FILE ...] [--rules]
        [--show kept|lost|junk]

FILE holds answers as benchmarks/inputs/answers.py describes them. Each is read as a session of its own, with the
request before it and the turn after it, taken for work on code; only memories that rest on the answer count, after
the gate. One JSON object a line and part (all, natural, sought, en, zh): how many items
are to be kept, how many of these a memory tells (at least half of the terms of their sentences) and how many in part (a
fifth); how many memories there are and how many of them tell what is to be kept (at least half of the terms that they
quote stand in kept sentences or their notes). Then the same by kind of item, and the memories by rule and by the first
tag of their draft. `--show` prints them instead. Models that were fitted on FILE do better there than
elsewhere. `--rules` leaves the model of answers out.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.answers import KINDS, Answer, Item, as_messages, load_answers, project_of, terms

from ultron_core.lessons.findings.reader import AnswerModel, load_answer_model
from ultron_core.lessons.people.plain.reader import load_model
from ultron_core.lessons.reading import read_segment
from ultron_core.lessons.registry import lessons_of
from ultron_core.memories import gate_draft
from ultron_core.models import MemoryDraft

PARTS = ("all", "natural", "sought", "en", "zh")
#: shares of an item's terms from which on a memory tells it, and tells it in part
TOLD, IN_PART = 0.5, 0.2


@dataclass(frozen=True)
class Made:
    """A memory, and whether what it quotes of the answer is to be kept."""

    kind: str
    draft: MemoryDraft
    right: bool


def made_of(answer: Answer, model: AnswerModel | None) -> list[Made]:
    messages = as_messages(answer)
    reading = dataclasses.replace(read_segment(messages, "unknown", project_of(answer)), work=True)
    line = next(m.start_line for m in messages if m.content == answer.text)
    kept = terms([text for item in answer.keep for text in (*item.sentences, item.memory)])
    found = []
    for lesson in lessons_of(reading, load_model(), model):
        quotes = [one.quote for one in lesson.draft.evidence if one.start_line == line]
        if not quotes or gate_draft(lesson.draft, messages) is not None:
            continue
        quoted = terms(quotes)
        found.append(Made(lesson.kind, lesson.draft, 2 * len(quoted & kept) >= max(1, len(quoted))))
    return found


def share_told(item: Item, made: Sequence[Made]) -> float:
    """The largest share of an item's terms that one memory tells."""
    wanted = terms(item.sentences)
    texts = (terms([one.draft.content, one.draft.resolution]) for one in made)
    return max((len(wanted & text) / max(1, len(wanted)) for text in texts), default=0.0)


def report(answers: Sequence[Answer], made: Sequence[Sequence[Made]], part: str) -> None:
    shares = [
        (item.kind, share_told(item, own))
        for answer, own in zip(answers, made, strict=True)
        for item in answer.keep
    ]
    memories = [one for own in made for one in own]
    say(
        part=part,
        answers=len(answers),
        holding=sum(bool(answer.keep) for answer in answers),
        **_recall(shares),
        memories=len(memories),
        right=sum(one.right for one in memories),
        precision=share(sum(one.right for one in memories), len(memories)),
    )
    for kind in KINDS:
        if own := [one for one in shares if one[0] == kind]:
            say(part=part, kind=kind, **_recall(own))
    tags = Counter((one.kind, one.draft.tags[0] if one.draft.tags else "") for one in memories)
    for (kind, tag), count in tags.most_common():
        right = sum(one.right for one in memories if (one.kind, (*one.draft.tags, "")[0]) == (kind, tag))
        say(part=part, rule=kind, tag=tag, memories=count, right=right)


def _recall(shares: Sequence[tuple[str, float]]) -> dict[str, object]:
    told = sum(value >= TOLD for _, value in shares)
    return {
        "items": len(shares),
        "told": told,
        "in_part": sum(IN_PART <= value < TOLD for _, value in shares),
        "recall": share(told, len(shares)),
    }


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def show(answers: Sequence[Answer], made: Sequence[Sequence[Made]], what: str) -> None:
    for answer, own in zip(answers, made, strict=True):
        for one in own:
            if what == ("kept" if one.right else "junk"):
                told = {"content": one.draft.content, "resolution": one.draft.resolution}
                say(id=answer.id, kind=one.kind, tags=one.draft.tags, **told)
        for item in answer.keep if what == "lost" else ():
            if share_told(item, own) < TOLD:
                say(id=answer.id, kind=item.kind, sentences=item.sentences, memory=item.memory)


def say(**fields: object) -> None:
    print(json.dumps({"benchmark": "answers", **fields}, ensure_ascii=False), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, nargs="+", metavar="FILE")
    parser.add_argument("--rules", action="store_true")
    parser.add_argument("--show", choices=["kept", "lost", "junk"])
    args = parser.parse_args()
    answers = load_answers(*args.data)
    model = None if args.rules else load_answer_model()
    made = [made_of(one, model) for one in answers]
    if args.show:
        show(answers, made, args.show)
        return
    for part in PARTS:
        own = [i for i, answer in enumerate(answers) if part in ("all", answer.lang, answer.drawn)]
        if own:
            report([answers[i] for i in own], [made[i] for i in own], part)


if __name__ == "__main__":
    main()
