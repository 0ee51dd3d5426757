"""One line of 200 MB: what a process holds of it stays below 1 GB, and what was left out is said."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.peak import PEAK

ROOT = Path(__file__).parents[3]
READ = f"""{PEAK}
import json, sys
from pathlib import Path
from ultron_core.sessions import SessionReader
from ultron_core.steps.files.snapshot import take_snapshot
session = SessionReader(take_snapshot(Path(sys.argv[1])).body).whole()
print(json.dumps([peak_megabytes(), [len(m.content) for m in session.messages], session.ledger.to_json()]))
"""


@pytest.mark.parametrize("end", ["", "🚀"], ids=["ascii", "emoji"])
def test_reading_it_stays_below_a_gigabyte(tmp_path, end):
    path = tmp_path / "log.jsonl"
    with path.open("w", encoding="utf-8") as log:
        log.write('{"role": "user", "content": "please look"}\n{"role": "user", "content": "')
        log.write("The build failed because of x. " * 6_500_000)
        log.write(end + '"}\n{"role": "user", "content": "thanks"}\n')
    found = subprocess.run(
        [sys.executable, "-c", READ, path], cwd=ROOT, capture_output=True, text=True, check=True
    )
    peak, lengths, lines = json.loads(found.stdout)
    assert peak < 1024 and lengths[0] == 11 and 10_000_000 < lengths[1] < 10_000_100
    assert lines["message"] == lines["total"] == 3 and lines["clipped"] == 1
