"""One job of Ultron in a process of its own, killed at a moment that is named: `python -m tests.faults.job JOB MOMENT`.

Settings come as JSON on standard input, the run config and tags after them; the Dagster instance is the one of
DAGSTER_HOME.
"""

import json
import os
import signal
import sys

import dagster as dg

from ultron_core.settings import Settings
from ultron_core.steps.search import windows as windows_step
from ultron_core.steps.stages import extract
from ultron_core.steps.stages import windows as windows_stage
from ultron_pipelines import jobs
from ultron_pipelines.build import build_defs
from ultron_pipelines.resources import UltronResource

#: what is not reached any more: (module, function, how often it is let through before)
MOMENTS = {
    "between the commit of files and their events": (jobs, "log_partitions", 0),
    "between a memory and the mark on its segment": (extract, "_finish", 3),
    "between segments and windows": (windows_stage, "index_windows", 0),
    "inside the transaction of windows": (windows_step, "session_store.run", 0),
    "late in pending_work, before its events": (jobs, "tell_stage", 0),
    "in the middle of its events": (jobs, "tell_stage", 2),
}


def main():
    name, moment = sys.argv[1:]
    given = json.load(sys.stdin)
    module, function, passed = MOMENTS[moment]
    dies(module, function, passed)
    settings = Settings.model_validate_json(given["settings"])
    defs = build_defs(settings, resource=UltronResource.of(settings))
    with dg.DagsterInstance.get() as instance:
        defs.resolve_job_def(name).execute_in_process(instance=instance, run_config=given["config"])


def dies(module, path, passed):
    """Where this function of the module is called once more than `passed`, the process is killed."""
    *owners, name = path.split(".")
    for owner in owners:
        module = getattr(module, owner)
    whole, calls = getattr(module, name), 0

    def function(*arguments, **named):
        nonlocal calls
        calls += 1
        if calls > passed:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(*arguments, **named)

    setattr(module, name, function)


if __name__ == "__main__":
    main()
