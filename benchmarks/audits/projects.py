"""Twenty questions that name no project: does the project answer whose folder they are asked in?

    python benchmarks/audits/projects.py [--data DIR]

The store holds the example logs, and the Claude Code and pi logs of DIR in folders as those harnesses make them. Each
line of `gold/project_questions.jsonl` was written before any answer was seen. A question is right when with `project`
nothing of another project is found, without it the first hit is of the folder's project, and the project's own answer,
where the line names one, stands in one of its three first hits.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.lockbox import forbid_lockbox
from inputs.places import ROOT, arguments, session_sets
from inputs.store import ingest_examples, offline_settings

from ultron_core.client import Ultron
from ultron_core.settings import Settings
from ultron_core.steps.search.memories import SearchHit

QUESTIONS = ROOT / "benchmarks" / "gold" / "project_questions.jsonl"
#: sets of DIR that are logs of a person's own agent, and the folder that agent keeps them in
NATIVE = {"claude_code_": ".claude/projects", "pi_coding_agent": ".pi/agent/sessions"}
#: hits among which the project's own answer is looked for
FIRST = 3


def main() -> None:
    data = arguments(__doc__).parse_args().data
    forbid_lockbox(data)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        settings = offline_settings(Path(folder) / "home")
        with Ultron(settings) as ultron:
            fill(ultron, data, Path(folder) / "logs")
        judged = list(answers(settings))
    right = sum(one["right"] for one in judged)
    for one in judged:
        if not one["right"]:
            print(json.dumps(one, ensure_ascii=False))
    line = {"benchmark": "search_projects", "set": data.name, "n": len(judged), "right": right}
    print(json.dumps({**line, "seconds": round(time.monotonic() - start, 1)}))


def fill(ultron: Ultron, data: Path, logs: Path) -> None:
    """The examples under their agents, and native logs where their harness would have written them."""
    ingest_examples(ultron)
    for found in session_sets(data):
        place = next((place for prefix, place in NATIVE.items() if found.name.startswith(prefix)), None)
        if place is None:
            continue
        for name, body in found.files():
            path = logs / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        ultron.ingest([logs / place / found.name], place.split("/")[0].strip("."))
    ultron.process_pending()


def answers(settings: Settings) -> Iterator[dict[str, Any]]:
    """Each question with what was found, asked in a folder of its project."""
    for line in QUESTIONS.read_text("utf-8").splitlines():
        asked = json.loads(line)
        project, question = asked["project"], asked["question"]
        store = settings.store.model_copy(update={"working_folder": Path("/nowhere") / project})
        with Ultron(settings.model_copy(update={"store": store})) as ultron:
            only = ultron.search_memories(question, project=project, record_hits=False)
            first = ultron.search_memories(question, record_hits=False)
        strangers = [shown(hit) for hit in only if project not in hit.record.projects]
        own = bool(first) and project in first[0].record.projects
        told = any(asked["answer"] in hit.record.summary_l0 for hit in only[:FIRST])
        yield {
            **asked,
            "right": bool(only) and not strangers and own and told,
            "only": [shown(hit) for hit in only[:FIRST]],
            "first": [shown(hit) for hit in first[:FIRST]],
        }


def shown(hit: SearchHit) -> str:
    return f"{hit.score}{' weak' if hit.weak else ''} {hit.record.projects} {hit.record.summary_l0}"


if __name__ == "__main__":
    main()
