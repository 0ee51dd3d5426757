"""Gather the native sessions that the gold speaks of: each from its repository at its commit, checked by its hash.

    python benchmarks/gold/native/gather.py --into DIR [--clones CLONES] [--half development|reserve]

Prints one JSON object a session; exit code 1 when one could not be had.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from inputs.native import sessions


def gathered(row: Mapping[str, Any], clone: Path) -> bytes | None:
    """The bytes of a session out of a clone; None when they are not there or are others."""
    shown = subprocess.run(
        ["git", "-C", str(clone), "show", f"{row['commit']}:{row['path']}"], capture_output=True, check=False
    )
    return shown.stdout if hashlib.sha256(shown.stdout).hexdigest() == row["sha256"] else None


def fetch(row: Mapping[str, Any], clone: Path) -> None:
    """Make a clone that holds the one commit; files come when they are asked for."""
    clone.mkdir(parents=True)
    address = f"https://github.com/{row['repository']}.git"
    for command in (
        ["init", "--quiet"],
        ["remote", "add", "origin", address],
        ["fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", row["commit"]],
    ):
        subprocess.run(["git", "-C", str(clone), *command], check=False)


def main() -> int:
    """Gather what the arguments name; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--clones", type=Path, help="clones as <owner>/<name>; without it GitHub is asked")
    parser.add_argument("--half", choices=("development", "reserve"), default="")
    given = parser.parse_args()
    missing = 0
    with tempfile.TemporaryDirectory() as temporary:
        for row in sessions(given.half):
            clone = (given.clones or Path(temporary)) / row["repository"]
            if given.clones is None and not clone.exists():
                fetch(row, clone)
            body = gathered(row, clone) if clone.exists() else None
            if body is None:
                missing += 1
            else:
                folder = given.into / row["id"]
                folder.mkdir(parents=True, exist_ok=True)
                (folder / Path(row["path"]).name).write_bytes(body)
            print(json.dumps({"session": row["id"], "gathered": body is not None}), flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
