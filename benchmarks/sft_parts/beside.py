"""Filter and deduplication beside datatrove's, on the same rows in one run; CPU without imports, one process each."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sft_parts.made import made
from sft_parts.segments import Cut

from ultron_core.llm.tokens import token_counter
from ultron_core.sft import BuildConfig, Candidate, Tools
from ultron_core.sft.curate.dedup import near_duplicates
from ultron_core.sft.curate.shingles import compared_text
from ultron_core.sft.draft import Drafted, draft_batch
from ultron_core.sft.shape.normalize import normalize_messages

_OTHER = Path(__file__).with_name("datatrove_run.py")
_BATCH = 64


def beside(passed: Sequence[tuple[Cut, Candidate]], rows: int, python: str) -> dict[str, Any]:
    """`python`: of an environment that has datatrove and NLTK or spaCy's tokenizer."""
    candidates = list(made(passed, rows))
    with tempfile.TemporaryDirectory(prefix="ultron-sft-beside-") as folder:
        texts = Path(folder) / "rows.jsonl"
        with texts.open("w", encoding="utf-8") as lines:
            for number, text in enumerate(_texts(candidates)):
                lines.write(json.dumps({"id": str(number), "text": text}) + "\n")
        done = subprocess.run([python, str(_OTHER), folder], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    ours = _ours(candidates)
    return {
        "set": "beside_datatrove",
        "rows": rows,
        **{f"ours_{name}": value for name, value in ours.items()},
        **{f"datatrove_{name}": value for name, value in theirs.items()},
        "share": round(ours["cpu_ms"] / theirs["cpu_ms"], 2),
    }


def _texts(candidates: Sequence[Candidate]) -> Iterator[str]:
    """What both compare: all that a person or the model wrote."""
    for candidate in candidates:
        normal = normalize_messages(candidate.messages, candidate.tools, system=candidate.system)
        yield compared_text(normal.messages).encode("utf-8", "replace").decode()


def _ours(candidates: Sequence[Candidate]) -> dict[str, float]:
    config, tools = BuildConfig(), Tools(list, lambda text: False, token_counter())
    tools.count_tokens("The table is loaded.")
    start, stream = time.process_time(), iter(candidates)
    drafts: list[Drafted] = []
    while batch := list(islice(stream, _BATCH)):
        drafts += [one for one in draft_batch(config, tools, batch) if isinstance(one, Drafted)]
    drafted = time.process_time()
    first = {draft.content: draft for draft in reversed(drafts)}
    order = sorted(first.values(), key=lambda draft: (-draft.score, -draft.length, draft.content))
    found = near_duplicates(
        np.array([draft.keys for draft in order]),
        lambda i: np.frombuffer(order[i].shingles, np.uint64),
        config.near_duplicate_jaccard,
    )
    end = time.process_time()
    return {
        "cpu_ms": round((end - start) / len(candidates) * 1000, 2),
        "draft_ms": round((drafted - start) / len(candidates) * 1000, 2),
        "kept": sum(other < 0 for other, _ in found),
    }
