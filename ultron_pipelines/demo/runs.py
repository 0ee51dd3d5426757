"""The jobs of the demo, run one after another in this process as Dagster runs that the UI shows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from ultron_core.client import Ultron
from ultron_core.settings import Settings
from ultron_core.steps.files.drop_folder import SETTLE_SECONDS, scan
from ultron_core.steps.stages.table import STAGES
from ultron_pipelines.partitions import SESSIONS_NAME

__all__ = ["DemoRuns"]

#: Dagster's own log lines would bury the summary; the UI has them
_QUIET: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
_UNPARTITIONED = ("rebalance_job", "sft_export_job", "checks_job")


class DemoRuns:
    """Ingest, the partitioned stages over all partitions, then tiers, clusters, dataset and checks."""

    def __init__(self, definitions: dg.Definitions, instance: dg.DagsterInstance) -> None:
        self._defs, self._instance = definitions, instance

    def new_keys(self) -> list[str]:
        """Partition keys of files that are new or have changed since they were read."""
        with Ultron(Settings.load()) as ultron:
            found = scan(ultron.runtime)
            if found.settling:
                time.sleep(SETTLE_SECONDS)
                found = scan(ultron.runtime)
        return [file.key for file in found.changed]

    def finished_before(self) -> bool:
        """Whether an earlier demo ran to its end, so that nothing is left to do."""
        done = dg.RunsFilter(job_name=_UNPARTITIONED[-1], statuses=[dg.DagsterRunStatus.SUCCESS])
        last = self._instance.get_run_records(dg.RunsFilter(), limit=1)
        return bool(self._instance.get_run_records(done, limit=1)) and last[0].dagster_run.is_finished

    def all(self, keys: Sequence[str]) -> Iterator[str]:
        """Run everything; yields one line per job."""
        known = set(self._instance.get_dynamic_partitions(SESSIONS_NAME))
        fresh = [key for key in keys if key not in known]
        if fresh:
            self._instance.add_dynamic_partitions(SESSIONS_NAME, fresh)
        config = {"ops": {"read_session_files": {"config": {"keys": list(keys)}}}}
        yield self._run("ingest_sessions", run_config=config)
        every = list(self._instance.get_dynamic_partitions(SESSIONS_NAME))
        if every:
            span = {
                "dagster/asset_partition_range_start": every[0],
                "dagster/asset_partition_range_end": every[-1],
            }
            for stage in STAGES:
                yield self._run(f"{stage.name}_job", tags=span)
        for name in _UNPARTITIONED:
            yield self._run(name)

    def _run(
        self, name: str, run_config: dict[str, Any] | None = None, tags: dict[str, str] | None = None
    ) -> str:
        started = time.monotonic()
        job = self._defs.resolve_job_def(name)
        result = job.execute_in_process(
            instance=self._instance,
            raise_on_error=False,
            run_config={**(run_config or {}), **_QUIET},
            tags=tags,
        )
        state = "done" if result.success else "partly done, see the UI"
        return f"{name:24} {time.monotonic() - started:5.1f} s  {state}"
