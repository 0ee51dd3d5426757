"""How much of tool output and code the redactor touches, and a sample of what it took, to be read.

    python benchmarks/audits/touched.py [--data DIR] [--half development|reserve] [--tokens N] [--show N] [--seed N]

From each session set, tool results, arguments of calls and fenced code are drawn by seed until they hold N tokens
(texts of at most 4,000 characters, each once). One line for each source: tokens read, findings, and tokens touched per
1,000 by kind. `group` is `code` (coding agents and shells), `pages` (question answering over an encyclopaedia: names of
people there are names) or `other`. `--show` adds findings drawn by seed from the texts of group `code`, with the words
around them: a reader decides which are wrong. Rules are made on the development half alone.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.lockbox import forbid_lockbox
from inputs.places import SessionSet, arguments, session_sets
from inputs.reserve import in_reserve, sessions
from inputs.sources import GROUPS

from ultron_core.llm.tokens import count_tokens
from ultron_core.models import Finding, Message
from ultron_core.redaction import redact_texts
from ultron_core.sessions import parse_session
from ultron_core.transcript.actions import argument_strings

#: sets of agents that write programs or work in a shell
CODE = (
    *("aider_swebench_lite", "claude_code_misc", "claude_code_spotter", "claude_code_viewer", "human_aider"),
    *("human_claude_specstory", "human_copilot_destyler_zh", "intercode_bash", "intercode_sql", "mint_code"),
    *("pi_coding_agent", "stage0_fixtures", "swe_agent_traj"),
)
_CHARS = 4_000
_AROUND = 70
#: a block of code in an answer
_FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.S)


@dataclass(frozen=True)
class Touch:
    """One finding with its text."""

    source: str
    text: str
    finding: Finding

    def shown(self) -> dict[str, str]:
        """The finding between the words around it."""
        low, high = self.finding.start, self.finding.end
        before, after = self.text[max(0, low - _AROUND) : low], self.text[high : high + _AROUND]
        return {
            "source": self.source,
            "entity": self.finding.entity,
            "taken": self.text[low:high],
            "around": f"{before}⟦{self.text[low:high]}⟧{after}",
        }


def group_of(source: str) -> str:
    """`code`, `pages` or `other`."""
    return "code" if source in CODE else "pages" if GROUPS.get(source) == "hotpot" else "other"


def texts_of(messages: Sequence[Message]) -> Iterator[str]:
    """What tools said, what they were called with, and code in what the agent said."""
    for message in messages:
        if message.role == "tool":
            yield message.content[:_CHARS]
        elif message.role == "assistant":
            yield from (block[1][:_CHARS] for block in _FENCED.finditer(message.content))
        for call in message.tool_calls:
            yield from (text[:_CHARS] for text in argument_strings(call.arguments))


def drawn(found: SessionSet, files: frozenset[str] | None, tokens: int, seed: int) -> tuple[list[str], int]:
    """(texts, their tokens) of the files of a set, by seed; None: of all files."""
    texts: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for name, body in found.files():
            if files is None or name in files:
                path = Path(folder) / Path(name).name
                path.write_bytes(body)
                texts.update(text for text in texts_of(parse_session(path).messages) if text.strip())
    ordered = sorted(texts)
    random.Random(seed).shuffle(ordered)
    taken, held = [], 0
    for text in ordered:
        if held >= tokens:
            break
        taken.append(text)
        held += count_tokens(text)
    return taken, held


def touches(source: str, texts: Sequence[str]) -> list[Touch]:
    """Every finding in the texts."""
    return [
        Touch(source, text, finding)
        for text, result in zip(texts, redact_texts(texts), strict=True)
        for finding in result.findings
    ]


def rate(found: Sequence[Touch], tokens: int) -> dict[str, object]:
    """Findings, and tokens touched per 1,000 tokens, by kind."""
    touched: Counter[str] = Counter()
    for touch in found:
        touched[touch.finding.entity] += count_tokens(touch.text[touch.finding.start : touch.finding.end])
    per = {kind: round(1_000 * count / tokens, 3) for kind, count in touched.most_common()} if tokens else {}
    return {
        "tokens": tokens,
        "findings": len(found),
        "touched_per_1000": round(1_000 * touched.total() / tokens, 3) if tokens else None,
        "by_kind": per,
    }


def halves(data: Path, half: str) -> dict[str, frozenset[str]]:
    """The files of one half of each labelled set."""
    files: dict[str, set[str]] = {}
    for row in sessions(data):
        if in_reserve(str(row["set"]), str(row["task"])) == (half == "reserve"):
            files.setdefault(str(row["set"]), set()).add(str(row["file"]))
    return {name: frozenset(names) for name, names in files.items()}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--half", choices=("development", "reserve"), default="development")
    parser.add_argument("--tokens", type=int, default=40_000, help="of each set")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--seed", type=int, default=13)
    args = parser.parse_args()
    forbid_lockbox(args.data)
    chosen = halves(args.data, args.half)
    by_group: dict[str, tuple[list[Touch], int]] = {}
    for found in session_sets(args.data):
        # sets without labels, as those of examples/, have no halves
        texts, held = drawn(found, chosen.get(found.name) if chosen else None, args.tokens, args.seed)
        here = touches(found.name, texts)
        group = group_of(found.name)
        say({"source": found.name, "group": group, **rate(here, held)})
        before, tokens = by_group.get(group, ([], 0))
        by_group[group] = [*before, *here], tokens + held
    for group, (all_here, held) in sorted(by_group.items()):
        say({"source": "all", "group": group, **rate(all_here, held)})
    pool = by_group.get("code", ([], 0))[0]
    for touch in random.Random(args.seed).sample(pool, min(args.show, len(pool))):
        say(touch.shown())


def say(row: dict[str, object] | dict[str, str]) -> None:
    print(json.dumps({"benchmark": "touched", **row}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
