"""An erasure that is killed at any point is gone on with by the same command, and ends in the same store."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.support.memories import rows, tables_holding
from tests.support.places import files_text
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.steps.upkeep import erase as walk
from ultron_core.store.digest import content_digest

GONE, KEPT = "quetzalite", "wyvernite"
#: (function that is never reached the nth time, n); chunks are of one file
POINTS = [
    ("erase.remove", 1),
    ("erase.run_embedded", 1),
    ("erase.take", 1),
    ("erase.advance", 1),
    ("erase.remove", 2),
    ("erase.take", 2),
    ("erase_walk.retract", 2),
    ("erase.advance", 3),
    ("erase.recount_windows", 1),
    ("erase._finish", 1),
    ("outside._remove_notes", 1),
    ("outside.ask_others", 2),
]
MESSAGE_POINTS = [
    ("erase_message._blank", 1),
    ("erase_message.run_embedded", 1),
    ("erase_message.retract", 1),
    ("erase_message._clean_archive", 1),
    ("erase_message.advance", 1),
]

KILLED = """
import importlib, json, os, signal, sys
from ultron_core.client import Ultron
from ultron_core.settings import Settings
from ultron_core.steps.upkeep import erase

given = json.load(sys.stdin)
erase._CHUNK = 1
module, name = given["point"].split(".")
module = importlib.import_module(f"ultron_core.steps.upkeep.{module}")
real, calls = getattr(module, name), []

def killed(*args, **kwargs):
    calls.append(1)
    if len(calls) == given["times"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args, **kwargs)

setattr(module, name, killed)
with Ultron(Settings.model_validate_json(given["settings"])) as ultron:
    ultron.erase(**given["scope"])
"""


def live(settings, kept_only=False):
    with Ultron(settings) as ultron:
        for agent, word in (("keeper", KEPT), *(() if kept_only else (("goner", GONE),))):
            for name in ("one", "two"):
                log = settings.sessions_dir / agent / f"{name}.jsonl"
                write_log(log, solved(f"{name}x", word))
                ultron.ingest([log], agent, process=True)


def killed(settings, point, times, scope):
    given = {"settings": settings.model_dump_json(), "point": point, "times": times, "scope": scope}
    done = subprocess.run(
        [sys.executable, "-c", KILLED], input=json.dumps(given), text=True, capture_output=True, check=False,
        env=os.environ,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, f"never came: {point}\n{done.stderr[-2000:]}"


@pytest.mark.parametrize(("point", "times"), POINTS)
def test_the_same_command_goes_on(settings, monkeypatch, point, times):
    live(settings, kept_only=True)
    with Ultron(settings) as ultron:
        wanted = content_digest(ultron.runtime.database)
    live(settings)
    killed(settings, point, times, {"agent": "goner"})
    monkeypatch.setattr(walk, "_CHUNK", 1)
    with Ultron(settings) as ultron:
        ultron.erase(agent="goner")
        assert content_digest(ultron.runtime.database) == wanted
        assert tables_holding(ultron, GONE) == set()
        (done,) = rows(ultron, "SELECT counts, done_at FROM erasures")
        assert done["done_at"] is not None and done["counts"]["sessions"] == 2
        assert rows(ultron, "SELECT count(*) AS n FROM erased_logs")[0]["n"] == 4
    assert not [name for name, text in files_text(settings.store.home).items() if GONE in text]


@pytest.mark.parametrize(("point", "times"), MESSAGE_POINTS)
def test_so_it_does_for_a_message(settings, point, times):
    live(settings)
    log = settings.sessions_dir / "goner" / "one.jsonl"
    line = next(n for n, text in enumerate(log.read_text("utf-8").splitlines(), 1) if f"make {GONE}" in text)
    scope = {"message": f"goner/one.jsonl:{line}"}
    killed(settings, point, times, scope)
    with Ultron(settings) as ultron:
        ultron.erase(**scope)
        ultron.ingest([settings.sessions_dir / "goner"], "goner", process=True)
        wish = f"make {GONE}` before the onex"
        assert tables_holding(ultron, wish) == set() and tables_holding(ultron, KEPT) >= {
            "messages",
            "memories",
        }
        assert all(row["done_at"] for row in rows(ultron, "SELECT done_at FROM erasures"))
    assert wish not in log.read_text("utf-8")
