"""Where the step of a run is carried out, by setting: in the run's own process, in another, or on another machine."""

from __future__ import annotations

import dagster as dg

from ultron_core.errors import SettingsError
from ultron_core.settings import Settings

__all__ = ["executor_of"]


def executor_of(settings: Settings) -> dg.ExecutorDefinition:
    """The executor that the settings name. Raises SettingsError when its package is not installed.

    Our runs have one step for many files: a process or a pod for it costs once what it costs.
    """
    name = settings.runs.executor
    try:
        if name == "celery":
            from dagster_celery import celery_executor

            url = settings.runs.celery_broker
            made: dg.ExecutorDefinition = celery_executor.configured({"broker": url, "backend": url})
            return made
        if name == "kubernetes":
            from dagster_k8s import k8s_job_executor

            pods: dg.ExecutorDefinition = k8s_job_executor
            return pods
    except ImportError as error:
        raise SettingsError(
            f"ULTRON_EXECUTOR={name} needs a package that is not installed: pip install 'ultron-memory[{name}]'."
        ) from error
    return dg.multiprocess_executor if name == "multiprocess" else dg.in_process_executor
