"""What a person must see of a dataset before it leaves the house: what was replaced, and what an outside scanner finds.

The confirmation is for one content hash: another row, another column, and it must be reviewed again.
"""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ultron_core.errors import ExportError
from ultron_core.folders import make_folders
from ultron_core.paths import below, check_folder_name
from ultron_core.redaction import find_secrets
from ultron_core.redaction.spans import PLACEHOLDER
from ultron_core.sft.files.read import JSON_COLUMNS, SPLITS, load_manifest, read_split
from ultron_core.sft.rules.turns import strings

__all__ = ["Place", "Review", "confirm", "confirmed", "review_dataset", "scanner"]

#: characters around a replacement, enough to see whether it should be one
_AROUND = 60


@dataclass(frozen=True, slots=True)
class Place:
    """One replacement or finding: the row, what kind of thing, and the words around it."""

    row: str
    project: str
    kind: str
    around: str


@dataclass
class _Found:
    rows: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    scanned: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Review:
    """Everything there is to look at; `projects` counts rows, replacements and findings of each."""

    content_hash: str
    rows: int
    scanner: str
    projects: Mapping[str, Mapping[str, Any]]
    replacements: Sequence[Place]
    findings: Sequence[Place]
    samples: Sequence[Mapping[str, Any]]


def scanner() -> str:
    """The scanner that knows nothing of our rules, if it is installed."""
    return "detect-secrets" if importlib.util.find_spec("detect_secrets") else ""


def review_dataset(folder: Path, projects: Mapping[str, str], *, samples: int = 3) -> Review:
    """Look through every row. `projects` names the project of a segment; rows of no known one are under `-`.

    `samples` rows of each project are given whole, the first ones by content hash: any may be drawn, always the same.
    """
    manifest = load_manifest(folder)
    found: dict[str, _Found] = {}
    drawn: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    replacements: list[Place] = []
    findings: list[Place] = []
    for row in (row for split in SPLITS for row in read_split(folder, split)):
        project = projects.get(str(row.get("chosen_id", row["id"])).partition(":")[0], "-")
        own = found.setdefault(project, _Found())
        own.rows += 1
        drawn.setdefault(project, []).append((row["content_sha256"], row))
        drawn[project] = sorted(drawn[project], key=lambda pair: pair[0])[:samples]
        for text in strings([row["topic"], *(row[name] for name in sorted(JSON_COLUMNS & row.keys()))]):
            for kind, around in _replaced(text):
                own.replaced[kind] += 1
                replacements.append(Place(row["id"], project, kind, around))
            for kind, around in _scanned(text):
                own.scanned[kind] += 1
                findings.append(Place(row["id"], project, kind, around))
    return Review(
        content_hash=manifest["content_hash"],
        rows=manifest["rows"],
        scanner=scanner(),
        projects={
            name: {"rows": one.rows, "replaced": dict(one.replaced), "scanner": dict(one.scanned)}
            for name, one in sorted(found.items())
        },
        replacements=replacements,
        findings=findings,
        samples=[row for name in sorted(drawn) for _, row in drawn[name]],
    )


def _replaced(text: str) -> Iterator[tuple[str, str]]:
    if "<" not in text:
        return
    for match in PLACEHOLDER.finditer(text):
        yield match[1], _around(text, *match.span())


def _scanned(text: str) -> Iterator[tuple[str, str]]:
    for one in find_secrets(text):
        yield f"pattern {one.entity}", _around(text, one.start, one.end)
    if not scanner():
        return
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    with default_settings():
        for line in text.splitlines():
            # of single lines the scanner reports the entropy of any word: what has a shape is what counts
            for secret in (one for one in scan_line(line) if "Entropy" not in one.type):
                yield f"detect-secrets {secret.type}", line.strip()[: 2 * _AROUND]


def _around(text: str, start: int, end: int) -> str:
    return " ".join(text[max(0, start - _AROUND) : end + _AROUND].split())


def confirm(reviews: Path, review: Review, now: datetime) -> Path:
    """A person has looked: the dataset with this very content may be published."""
    make_folders(reviews)
    path = _place(reviews, review.content_hash)
    told = {
        "content_hash": review.content_hash,
        "confirmed_at": now.isoformat(),
        "rows": review.rows,
        "replacements": len(review.replacements),
        "findings": len(review.findings),
        "scanner": review.scanner,
    }
    path.write_text(json.dumps(told, indent=2) + "\n", "utf-8")
    return path


def _place(reviews: Path, content_hash: str) -> Path:
    """Where the confirmation lies; the hash is what a manifest says, of whoever made the folder."""
    check_folder_name("content_hash of the manifest", content_hash)
    return below(reviews, f"{content_hash}.json")


def confirmed(reviews: Path, content_hash: str) -> Mapping[str, Any]:
    """What was confirmed. Raises ExportError when nobody has."""
    try:
        told: dict[str, Any] = json.loads(_place(reviews, content_hash).read_text("utf-8"))
    except FileNotFoundError as error:
        raise ExportError(
            f"Nobody has reviewed the dataset with content {content_hash[:8]}. "
            "Look at `ultron sft review DIR`, then confirm with --confirm."
        ) from error
    return told
