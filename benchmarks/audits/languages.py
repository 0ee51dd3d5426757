"""Questions in the other language than what they are about: is the right hit marked weak, and is a stranger's not?

    python benchmarks/audits/languages.py [--data DIR]

The store holds the example logs, whose memories are English, and the sessions of DIR that are in Chinese. Each line of
`gold/cross_language.jsonl` was written before any answer was seen: a question, and words of the memory that it is
about, or null where nothing stored is about it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.lockbox import forbid_lockbox
from inputs.places import ROOT, arguments, session_sets
from inputs.store import ingest_examples, offline_settings

from ultron_core.client import Ultron
from ultron_core.transcript.language import language

QUESTIONS = ROOT / "benchmarks" / "gold" / "cross_language.jsonl"
#: the set of DIR whose people write Chinese
CHINESE = "human_copilot_destyler_zh"


def main() -> None:
    data = arguments(__doc__).parse_args().data
    forbid_lockbox(data)
    with tempfile.TemporaryDirectory() as folder:
        settings = offline_settings(Path(folder) / "home")
        with Ultron(settings) as ultron:
            fill(ultron, data, Path(folder) / "logs")
            asked = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
            judged = [judge(ultron, one["question"], one["about"]) for one in asked]
    for line in figures(data.name, judged):
        print(json.dumps(line))


def fill(ultron: Ultron, data: Path, logs: Path) -> None:
    ingest_examples(ultron)
    for found in session_sets(data):
        if found.name == CHINESE:
            for name, body in found.files():
                (logs / name).parent.mkdir(parents=True, exist_ok=True)
                (logs / name).write_bytes(body)
            ultron.ingest([logs], "copilot")
    ultron.process_pending()


def judge(ultron: Ultron, question: str, about: str | None) -> dict[str, Any]:
    hits = ultron.search_memories(question, record_hits=False)
    right = [hit for hit in hits if about and about.lower() in hit.record.summary_l0.lower()]
    return {
        "asked_in": language(question),
        "is_stranger": about is None,
        "found": bool(right),
        "unmarked": not (right or hits)[0].weak if (right or (about is None and hits)) else False,
    }


def figures(name: str, judged: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """A row for each language asked in; `unmarked` counts right hits, `strangers_unmarked` questions about nothing
    stored whose first hit is not weak."""
    every = list(judged)
    for asked_in in ("zh", "en"):
        here = [one for one in every if one["asked_in"] == asked_in]
        about = [one for one in here if not one["is_stranger"]]
        strangers = [one for one in here if one["is_stranger"]]
        yield {
            "benchmark": "cross_language",
            "set": name,
            "asked_in": asked_in,
            "n": len(about),
            "found": sum(one["found"] for one in about),
            "unmarked": sum(one["unmarked"] for one in about),
            "strangers": len(strangers),
            "strangers_unmarked": sum(one["unmarked"] for one in strangers),
        }


if __name__ == "__main__":
    main()
