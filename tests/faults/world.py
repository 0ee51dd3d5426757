"""What the fault tests share: settings, a drop of small logs, and what an undisturbed run makes of them."""

import os
import time

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.stages.table import FILES, STAGES
from ultron_core.store import content_digest

ASSETS = (FILES, *(stage.name for stage in STAGES))


def settings_of(home, sessions):
    return Settings(
        store=StoreSettings(home=home),
        llm=LLMSettings(offline=True),
        sessions=SessionSettings(sessions_dir=sessions, quiet_minutes=0),
    )


def drop_files(folder, count):
    """Files that settled long ago; every fifth solves an error, so that memories come out and are merged."""
    for number in range(count):
        name = f"part{number}"
        tasks = [solved(name, f"lib{number}")] if number % 5 == 0 else [task(name), task(f"{name}b")]
        path = write_log(folder / "agent" / f"{number:04}.jsonl", *tasks)
        os.utime(path, (time.time() - 600,) * 2)
    return folder


def undisturbed(settings):
    """The digest of everything after one run over the drop folder that nothing disturbs."""
    with Ultron(settings) as ultron:
        ultron.ingest([settings.sessions_dir / "agent"], "agent", process=True)
        return digest(ultron)


def digest(ultron):
    return content_digest(ultron.runtime.database, windows=True)
