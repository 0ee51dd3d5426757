"""Fit the success models of the offline labeler and write their coefficients as JSON text.

    python benchmarks/training/labeler.py [--data DIR] [--out ultron_core/labels/success_model.json]

One command fits everything again; do that when parsers, the reading of transcripts, phrases or features change.
The sets, all MIT or Apache-2.0, are named in inputs/sources.py. `benchmarks/labels.py` uses the same functions
with one source left out at a time. Nothing is written when a set is absent.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.lockbox import forbid_lockbox
from inputs.places import ROOT, arguments
from inputs.sources import ANSWER_SOURCES, OUTCOME_SOURCES
from label_parts.fit import fit_answers, fit_work
from label_parts.runs import load_pairs, load_rated, load_runs


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "ultron_core" / "labels" / "success_model.json")
    options = parser.parse_args()
    forbid_lockbox(options.data)
    runs = {name: load_runs(options.data, name) for name in OUTCOME_SOURCES}
    pairs = [load_pairs(options.data, name) for name in ("dpo_pairs_en", "dpo_pairs_zh")]
    rated = load_rated(options.data, "kto_en")
    if not all(runs.values()) or not all(pairs) or not rated:
        raise SystemExit(f"{options.data} lacks a set that the models are fitted on; nothing was written")
    work = fit_work(list(runs.values()))
    answer = fit_answers(pairs, rated, work.base_rate)
    document = {
        "about": "Logistic regressions of the offline labeler; made by benchmarks/training/labeler.py.",
        "fitted_on": {
            "work": {name: {"source": OUTCOME_SOURCES[name], "n": len(r)} for name, r in runs.items()},
            "answer": {
                name: {"source": ANSWER_SOURCES[name], "n": count}
                for name, count in zip(ANSWER_SOURCES, [*map(len, pairs), len(rated)], strict=True)
            },
        },
        "work": work.to_json(),
        "answer": answer.to_json(),
    }
    options.out.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(json.dumps({"written": options.out.name, "work": document["work"], "answer": document["answer"]}))


if __name__ == "__main__":
    main()
