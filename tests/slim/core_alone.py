"""The core as `pip install ultron-memory` gives it, without Dagster and the recogniser: `make test-slim` runs this
with the Python of such an environment, which has no pytest.

    python core_alone.py EXAMPLES

Ingest in one folder, search in another; reading makes no file; a name is hidden by the coarser rule.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

#: MB of the environment, as the product promises
MOST_MB = 500
QUESTION = "SQLite migration with a table rename"


def main() -> None:
    examples = Path(sys.argv[1]).resolve()
    size = sum(path.lstat().st_size for path in Path(sys.prefix).rglob("*")) / 1e6
    check(size <= MOST_MB, f"the environment takes {size:.0f} MB, more than {MOST_MB}")
    for package in ("dagster", "spacy", "presidio_analyzer", "matplotlib", "sklearn", "polars", "scipy"):
        check(find_spec(package) is None, f"{package} is installed with the core")
    with tempfile.TemporaryDirectory(prefix="ultron-slim-") as folder:
        walk(Path(folder), examples)
    print(f"The core alone works, in {size:.0f} MB.")


def walk(folder: Path, examples: Path) -> None:
    home, here, there = (folder / name for name in ("home", "here", "there"))
    for each in (home, here, there):
        each.mkdir()

    def ultron(place: Path, *arguments: str, code: int = 0) -> str:
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "ULTRON_OFFLINE": "1", "ULTRON_AUTOSERVE": "0"}
        done = subprocess.run(
            [str(Path(sys.executable).with_name("ultron")), *arguments],
            cwd=place,
            env={**env, "ULTRON_SESSION_QUIET_MINUTES": "0", "ULTRON_SEARCH_HITS": "0"},
            capture_output=True,
            text=True,
        )
        check(done.returncode == code, f"ultron {' '.join(arguments)}: {done.returncode}\n{done.stderr}")
        return done.stdout or done.stderr

    ultron(there, "search", QUESTION, code=1)
    check(not any(home.rglob("*")), "a search without a store made files")
    ultron(here, "ingest", str(examples / "claude-code"))
    first, second = (
        json.loads(ultron(place, "search", QUESTION, "--claimed", "--json")) for place in (here, there)
    )
    check(bool(first) and first == second, "another folder finds something else")
    check(not any(here.iterdir()) and not any(there.iterdir()), "a command left files where it ran")
    note = here / "note.txt"
    note.write_text("Remember: Nikolaj Petrussen keeps the deploy key of the staging cluster.")
    shown = ultron(here, "redact", "--preview", str(note))
    check("Nikolaj Petrussen" in shown and "PERSON" in shown, f"the name is not hidden:\n{shown}")
    check("coarser" in ultron(here, "doctor"), "doctor does not say that names go by the coarser rule")
    check(
        "ultron-memory[pipeline]" in ultron(here, "dev", code=1), "`ultron dev` does not say what to install"
    )


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(otherwise)


if __name__ == "__main__":
    main()
