"""How many failed tool results are read as failures, with a line that tells what went wrong.

    python benchmarks/audits/results.py [--data DIR]

A result has failed when the log marks it `is_error`, or when it names an exit code other than zero or a time-out in
its first or last 300 characters, unless it says that the call was not made at all; this is decided here, without the
reading under test. One line per set and one for all (`set: all`): `n` failed results, `marked`, `exits` and `timeouts`
among them (a result may be several), `classed` (share that a call claims and whose outcome is error, failed, timeout or
refused), `telling` (share with a line that is not the bare exit code unless nothing else was printed; a refusal needs
none). `--missed N` prints up to N missed ones of a set, none of the reserve.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.lockbox import guarded
from inputs.places import SessionSet, arguments, session_sets
from inputs.reserve import sessions

from ultron_core.models import Message
from ultron_core.sessions import parse_session
from ultron_core.transcript.actions import Action, read_actions
from ultron_core.transcript.pairs import is_tool_result

_EDGE = 300
_EXIT = re.compile(
    r"^.{0,60}\b(?:exit(?:ed)?|return)\W?(?:with )?\W?(?:code|status)\W{1,3}-?[1-9]\d*\W*(?:\(.*\)\W*)?$"
    r"|<returncode>\s*-?[1-9]",
    re.IGNORECASE | re.MULTILINE,
)
#: a user row that a program wrote: "<returncode>1</returncode>", "exitcode: 1 (...)", "Observation: ..."
_PRINTED = re.compile(r"\s*(?:<returncode>|<output>|exitcode:|Exit code|Observation:|EXECUTION RESULT)")
_TIMEOUT = re.compile(
    r"\b(?:command|script|process|request|execution|connection|call)\b.{0,40}\btimed out\b", re.IGNORECASE
)
#: no result of a call: "<tool_use_error>Sibling tool call errored</tool_use_error>"
_NOT_MADE = re.compile(r"\s*(?:<\w+>)?Sibling tool call errored\b")
_BARE = re.compile(
    r"^\W*(?:exit|return|process exited|command exited)[ \w]*\W+-?\d+\W*$|^<\w+>", re.IGNORECASE
)
_FAILED = ("error", "failed", "timeout", "refused")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--missed", type=int, default=0)
    args = parser.parse_args()
    with guarded("results_classed", args.data):
        reserve = {(r["set"], Path(str(r["file"])).name) for r in sessions(args.data) if r["reserve"]}
        total: Counter[str] = Counter()
        for found in session_sets(args.data):
            counts = measure(found, reserve, args.missed)
            report(found.name, counts)
            total.update(counts)
        report("all", total)


def measure(found: SessionSet, reserve: set[tuple[str, str]], missed: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name, body in found.files():
        if not name.endswith(".jsonl"):
            continue
        messages = list(parse_session(body).messages)
        actions = {action.result: action for action in read_actions(messages)}
        for position, message in enumerate(messages):
            kinds = failed_kinds(message) if is_output(message) else []
            if not kinds:
                continue
            action = actions.get(position)
            counts.update(["n", *kinds])
            counts["classed"] += action is not None and action.outcome in _FAILED
            told = action is not None and tells(action)
            counts["telling"] += told
            if missed and not told and (found.name, Path(name).name) not in reserve:
                missed -= 1
                text = message.content
                print(json.dumps({"missed": name, "kinds": kinds, "head": text[:300], "tail": text[-200:]}))
    return counts


def is_output(message: Message) -> bool:
    return is_tool_result(message) or (message.role == "user" and bool(_PRINTED.match(message.content)))


def failed_kinds(result: Message) -> list[str]:
    edges = f"{result.content[:_EDGE]}\n{result.content[-_EDGE:]}"
    if result.is_error is False or _NOT_MADE.match(result.content):
        return []
    signs = (
        ("marked", result.is_error is True),
        ("exits", bool(_EXIT.search(edges))),
        ("timeouts", bool(_TIMEOUT.search(edges))),
    )
    return [kind for kind, holds in signs if holds]


def tells(action: Action) -> bool:
    if action.outcome == "refused":
        return True
    if action.failure is None or not action.failure.line.strip():
        return False
    others = [
        line for line in action.output.splitlines() if re.search(r"\w{3}", line) and not _BARE.match(line)
    ]
    return not others or not _BARE.match(action.failure.line)


def report(name: str, counts: Counter[str]) -> None:
    if not counts["n"]:
        return
    shares = {key: round(counts[key] / counts["n"], 3) for key in ("classed", "telling")}
    numbers = {key: counts[key] for key in ("n", "marked", "exits", "timeouts")}
    print(json.dumps({"benchmark": "results_classed", "set": name, **numbers, **shares}), flush=True)


if __name__ == "__main__":
    main()
