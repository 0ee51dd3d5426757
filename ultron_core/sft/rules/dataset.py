"""All 21 rules on a dataset folder as it was written; each finding names its rule and the row.

Rules 1, 2, 5 to 11, 13 and 15 to 17 are of single rows, 3, 4, 12, 14 and 20 of files; here are those of all rows
together: 13 (one reasoning policy), 18 (splits, duplicates), 19 (secrets, evaluation texts).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ultron_core.sft.counting.counts import CountTokens, token_counts
from ultron_core.sft.curate.decontaminate import EvalIndex
from ultron_core.sft.files.read import MANIFEST, load_manifest, read_split
from ultron_core.sft.kinds.runs import content_of, runs_of
from ultron_core.sft.records import Scanned, canonical_json, content_sha256
from ultron_core.sft.rules.calls import call_problems, is_inline
from ultron_core.sft.rules.files import file_problems, flavour_problems, schema_problems
from ultron_core.sft.rules.turns import Finding, text_problems, token_problems, turn_problems

__all__ = ["Checks", "dataset_problems"]


@dataclass(frozen=True, slots=True)
class Checks:
    """What a look at the rows needs besides the folder."""

    count_tokens: CountTokens
    has_secret: Callable[[str], bool]
    eval_index: EvalIndex | None = None
    #: rows that were counted and scanned a moment ago, by content hash
    scanned: Mapping[str, Scanned] = field(default_factory=dict)


@dataclass
class _Seen:
    """What the rows say together."""

    #: ids of the manifest that no row had yet: each is one text, whatever else refers to it
    missing: dict[str, str]
    #: is there a row that the manifest does not list, or lists once more?
    strange: bool = False
    #: the id that a content came with
    contents: dict[bytes, str] = field(default_factory=dict)
    #: the split that a key came in, by kind of key
    splits: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    reasoning: dict[bool, str] = field(default_factory=dict)


def dataset_problems(folder: Path, checks: Checks) -> list[str]:
    """All violations of the folder, the first kind of damage first; empty when it may be published.

    Raises ExportError when there is no manifest.
    """
    manifest = load_manifest(folder)
    problems = list(file_problems(folder, manifest, own=MANIFEST))
    if problems:
        return problems
    seen = _Seen({one: one for one in manifest["ids"]})
    seen.strange = len(seen.missing) < len(manifest["ids"])
    for split in manifest["splits"]:
        for path in sorted((folder / "data").glob(f"{split}-*.parquet")):
            problems += schema_problems(path, manifest.get("kind", "sft"))
        if problems:
            return problems
        problems += _split_problems(folder, split, manifest, checks, seen)
    if seen.strange or seen.missing:
        problems.append("rule 20: the rows of the Parquet files are not the listed ids")
    return problems


def _split_problems(
    folder: Path, split: str, manifest: Mapping[str, Any], checks: Checks, seen: _Seen
) -> Iterator[str]:
    """Each row, and beside it its line of every flavour: one pass, whatever the size."""
    kind = manifest.get("kind", "sft")
    with ExitStack() as stack:
        paths = sorted((folder / "flavours").glob(f"*/{split}.jsonl"))
        flavours = [(path, stack.enter_context(path.open(encoding="utf-8", newline="\n"))) for path in paths]
        for row in read_split(folder, split):
            runs = runs_of(kind, row)
            found = [finding for run in runs for finding in _run_findings(run, manifest, checks)]
            found += _together(row, content_of(kind, row), split, seen)
            found += _one_policy(runs, seen)
            yield from (f"rule {rule}: {row['id']}: {problem}" for rule, problem in found)
            for path, lines in flavours:
                yield from flavour_problems(path, next(lines, None), row)
        for path, lines in flavours:
            yield from flavour_problems(path, next(lines, None), None)


def _run_findings(row: Mapping[str, Any], manifest: Mapping[str, Any], checks: Checks) -> Iterator[Finding]:
    shape = list(turn_problems(row["messages"]))
    yield from shape
    yield from text_problems([row["messages"], row["tools"], row["topic"]])
    if any(rule == 5 for rule, _ in shape):
        return  # the others read the contents
    calls = list(call_problems(row))
    yield from calls
    if any(rule == 1 for rule, _ in calls):
        return
    known = checks.scanned.get(content_sha256(tuple(row["messages"]), tuple(row["tools"])))
    if known and known.topic == row["topic"]:
        tokens = known.tokens, known.trained
    else:
        tokens = token_counts(row["messages"], row["tools"], checks.count_tokens)
        if checks.has_secret(canonical_json([row["messages"], row["tools"], row["topic"]])):
            yield 19, "a secret"
    yield from token_problems(row, tokens, manifest["config"]["max_tokens"])
    if checks.eval_index and (hit := checks.eval_index.match(row["messages"])):
        yield 19, f"a text of the evaluation set {hit[0]}"


def _together(row: Mapping[str, Any], content: str, split: str, seen: _Seen) -> Iterator[Finding]:
    seen.strange |= row["id"] not in seen.missing
    name = seen.missing.pop(row["id"], row["id"])
    if content != row["content_sha256"]:
        yield 20, "the content is not what its hash says"
    if (other := seen.contents.setdefault(bytes.fromhex(content), name)) != name:
        yield 18, f"the same content as {other}"
    for column in ("session_key", "rejected_session_key", "task_key", "group_key"):
        kind = column.removeprefix("rejected_")
        if column in row and seen.splits[kind].setdefault(row[column], split) != split:
            yield 18, f"{kind} {row[column]} is in both splits"


def _one_policy(runs: Sequence[Mapping[str, Any]], seen: _Seen) -> Iterator[Finding]:
    for run in runs:
        thinks = any("reasoning_content" in m or is_inline(m) for m in run["messages"])
        if seen.reasoning.setdefault(thinks, run["id"]) == run["id"] and len(seen.reasoning) > 1:
            yield 13, "rows with and without reasoning in one dataset"
