"""Two commands at once, a log that changes while it is read, a disk that is full: the same content in the end."""

import os
import resource
import subprocess
import sys
import threading
import time

import pytest

from tests.faults.world import digest, drop_files, settings_of, undisturbed
from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.sft import verify_dataset

LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
from ultron_core.cli.main import main
sys.exit(main())
"""


@pytest.fixture
def environment(settings, tmp_path):
    """Of a command line on the test's database."""
    return {
        **os.environ,
        "ULTRON_HOME": str(settings.store.home),
        "ULTRON_DATABASE_URL": settings.store.database_url,
        "ULTRON_SESSIONS_DIR": str(tmp_path / "sessions"),
        "ULTRON_OFFLINE": "1",
        "ULTRON_SESSION_QUIET_MINUTES": "0",
    }


def test_two_ingests_at_once_both_end_well_in_the_same_content(settings, environment, tmp_path):
    drop = drop_files(tmp_path / "sessions", 20)
    command = [
        sys.executable,
        "-m",
        "ultron_core.cli.main",
        "ingest",
        str(drop / "agent"),
        "--agent",
        "agent",
    ]
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert not any("Traceback" in out + err for out, err in said)
    with Ultron(settings) as ultron:
        ultron.process_pending()
        assert digest(ultron) == undisturbed(settings_of(tmp_path / "quiet", drop))


def test_a_log_that_grows_while_it_is_read_ends_as_one_read_at_once(settings, tmp_path):
    path = write_log(tmp_path / "sessions" / "agent" / "log.jsonl", solved("alpha", "pandas"))
    more = write_log(
        tmp_path / "more", *(task(name) for name in "bcdef"), solved("gamma", "lxml")
    ).read_bytes()
    own = settings_of(settings.store.home, tmp_path / "sessions").model_copy(update={"store": settings.store})
    # as shipped: the last task of a log that still grows is not judged, so nothing is learned that later proves wrong
    waiting = own.model_copy(update={"sessions": own.sessions.model_copy(update={"quiet_minutes": 30})})
    with Ultron(waiting) as ultron:
        ultron.ingest([path], "agent", process=True)  # loads the models
        writer = threading.Thread(target=write_slowly, args=(path, more))
        writer.start()
        readings = 0
        while writer.is_alive():
            ultron.ingest([path], "agent", process=True)
            readings += 1
    with Ultron(own) as ultron:
        ultron.ingest([path], "agent", process=True)
        assert readings > 1
        assert digest(ultron) == undisturbed(settings_of(tmp_path / "quiet", own.sessions_dir))


def write_slowly(path, body):
    """Piece by piece, lines cut in the middle."""
    with path.open("ab", buffering=0) as log:
        for begin in range(0, len(body), 100):
            log.write(body[begin : begin + 100])
            time.sleep(0.2)


def test_a_full_disk_fails_the_export_with_a_sentence_and_leaves_the_last_one(
    settings, environment, tmp_path
):
    drop = drop_files(tmp_path / "sessions", 12)
    export = ["export-sft", "--evidence", "any", "--min-score", "0", "--out", str(tmp_path / "out")]
    with Ultron(settings) as ultron:
        ultron.ingest([drop / "agent"], "agent", process=True)

        def exported(limit=resource.RLIM_INFINITY):
            command = [sys.executable, "-c", LIMITED, str(limit), *export]
            return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

        first = exported()
        assert first.returncode == 0, first.stderr
        before = contents(tmp_path / "out")
        write_log(drop / "agent" / "late.jsonl", solved("late", "polars"))
        ultron.ingest([drop / "agent"], "agent", process=True)
        full = exported(limit=2_000)
        assert full.returncode != 0 and "Traceback" not in full.stderr and full.stderr.startswith("ultron:")
        assert contents(tmp_path / "out") == before, "the dataset is the last whole one"
        assert exported().returncode == 0
        assert contents(tmp_path / "out") != before
        folders = {path.parent for path in (tmp_path / "out").rglob("manifest.json")}
        assert folders and not any(verify_dataset(folder) for folder in folders)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
