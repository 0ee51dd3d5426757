"""The program that `speed` starts: exports of rows in a database, one JSON object a line.

    python benchmarks/sft_parts/speed_run.py PASSED ROWS WORKERS

The workers of an export import this file again, so it imports nothing at the top that an export does not need.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from sft_parts.speed import measured

    passed, rows, workers = sys.argv[1:]
    for row in measured(Path(passed), int(rows), int(workers)):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
