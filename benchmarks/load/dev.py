"""`ultron dev` on a folder of its own, watched from outside: its processes, its runs and ticks, its tables."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
import psutil
import psycopg

from ultron_core.client import Ultron
from ultron_core.steps.stages.standing import Standing
from ultron_pipelines.assets.events import PartitionEvent, log_partitions
from ultron_pipelines.host.launch import sqlalchemy_url
from ultron_pipelines.partitions import SESSIONS_NAME

__all__ = ["Dev"]

_OVER = "('SUCCESS', 'FAILURE', 'CANCELED')"
_SENSORS = """query { sensorsOrError(repositorySelector: {repositoryName: "__repository__",
repositoryLocationName: "ultron"}) { ... on Sensors { results { name id sensorState { selectorId } } } } }"""
_START = """mutation($name: String!) { startSensor(sensorSelector: {repositoryName: "__repository__",
repositoryLocationName: "ultron", sensorName: $name}) { __typename } }"""
_LAUNCH = """mutation($name: String!) { launchRun(executionParams: {selector: {repositoryName: "__repository__",
repositoryLocationName: "ultron", pipelineName: $name}}) { __typename ... on LaunchRunSuccess { run { runId } } } }"""
_STOP = "mutation($id: String!) { stopSensor(id: $id) { __typename ... on PythonError { message } } }"


class Dev:
    """A running `ultron dev`; the embedded server is the one that `ultron` holds open."""

    def __init__(self, ultron: Ultron, log: Path, **environment: str) -> None:
        home = ultron.settings.store.home
        server = ultron.server  # the benchmark looks into both databases of it
        assert server is not None
        self._home = home
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._dagster, self._ultron = server.url("dagster"), server.url()
        self._postgres = int((Path(server.describe()["data"]) / "postmaster.pid").read_text().splitlines()[0])
        sessions = str(ultron.settings.sessions_dir)
        quiet = {"ULTRON_OFFLINE": "1", "ULTRON_SESSION_QUIET_MINUTES": "0"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "ultron_pipelines.host.launch", "--port", str(self.port)],
            env={
                **os.environ,
                **quiet,
                "ULTRON_HOME": str(home),
                "ULTRON_SESSIONS_DIR": sessions,
                **environment,
            },
            stdout=log.open("wb"),
            stderr=subprocess.STDOUT,
        )

    @classmethod
    @contextmanager
    def running(cls, ultron: Ultron, log: Path, **environment: str) -> Iterator[Dev]:
        """Until the block ends; it begins when the page answers."""
        dev = cls(ultron, log, **environment)
        try:
            dev.wait(dev._answers, 300)
            yield dev
        finally:
            dev._process.send_signal(signal.SIGTERM)
            dev._process.wait(60)

    def _answers(self) -> bool:
        assert self._process.poll() is None, "ultron dev ended"
        try:
            return bool(self.graphql(_SENSORS)["sensorsOrError"].get("results"))
        except OSError:
            return False

    def wait(self, condition: Callable[[], bool], seconds: float, every: float = 1.0) -> float:
        """Seconds until the condition held. Raises TimeoutError."""
        begin = time.monotonic()
        while not condition():
            if time.monotonic() - begin > seconds:
                raise TimeoutError(f"{condition.__name__} did not come within {seconds:g} s")
            time.sleep(every)
        return time.monotonic() - begin

    def graphql(self, query: str, **variables: Any) -> Any:
        body = json.dumps({"query": query, "variables": variables}).encode()
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=120) as answer:
            told = json.load(answer)
        if "errors" in told:
            raise RuntimeError(str(told["errors"])[:500])
        return told["data"]

    def switch(self, on: bool, *, but: Sequence[str] = ()) -> None:
        """All sensors on or off."""
        for sensor in self.graphql(_SENSORS)["sensorsOrError"]["results"]:
            if sensor["name"] not in but and on:
                self.graphql(_START, name=sensor["name"])
            elif sensor["name"] not in but:
                self.graphql(_STOP, id=sensor["id"])

    def launch(self, job: str) -> None:
        told = self.graphql(_LAUNCH, name=job)["launchRun"]
        if told["__typename"] != "LaunchRunSuccess":
            raise RuntimeError(str(told)[:500])

    def partitions(self) -> list[str]:
        return [key for (key,) in self.rows("SELECT partition FROM dynamic_partitions ORDER BY id")]

    def rows(self, query: str, *parameters: Any, dagster: bool = True) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._dagster if dagster else self._ultron) as conn:
            return conn.execute(query, parameters or None).fetchall()

    def told(self, asset: str) -> tuple[int, int]:
        """Partitions of the asset with a materialization, and how many of these events there are."""
        ((partitions, events),) = self.rows(
            "SELECT count(DISTINCT partition), count(*) FROM event_logs WHERE dagster_event_type = "
            "'ASSET_MATERIALIZATION' AND partition IS NOT NULL AND asset_key = %s",
            f'["{asset}"]',
        )
        return partitions, events

    def tell_without_work(self, assets: Sequence[str], keys: Sequence[str]) -> None:
        """Partitions and a materialization of each for these assets, as a run tells them, without any work."""
        os.environ["DAGSTER_HOME"] = str(self._home / "dagster")
        os.environ["ULTRON_DAGSTER_SQLALCHEMY_URL"] = sqlalchemy_url(self._dagster)
        os.environ["DAGSTER_EVENT_BATCH_SIZE"] = "500"
        standing = Standing(keys[0], "d" * 32, "code:1", {"above": "a" * 32}, True)
        told = [
            PartitionEvent(key, "done", standing, {"messages": 6, "lines": 6, "status": "new"})
            for key in keys
        ]

        @dg.op
        def tell(context) -> None:
            for asset in assets:
                log_partitions(context, asset, told)

        @dg.job
        def keys_alone() -> None:
            tell()

        with dg.DagsterInstance.get() as instance:
            instance.add_dynamic_partitions(SESSIONS_NAME, list(keys))
            keys_alone.execute_in_process(instance=instance)

    def runs(self, job: str | None = None) -> dict[str, int]:
        """How many there are by status."""
        named = self.rows(
            "SELECT status, count(*) FROM runs WHERE %s::text IS NULL OR pipeline_name = %s GROUP BY 1",
            job,
            job,
        )
        return dict(named)

    def is_idle(self) -> bool:
        ((count,),) = self.rows(f"SELECT count(*) FROM runs WHERE status NOT IN {_OVER}")
        return not count

    def ticks(self, sensor: str, since: float = 0.0) -> list[dict[str, Any]]:
        """Ticks that are over, in order: `at`, `seconds`, `status`, `runs`."""
        found = []
        for (body,) in self.rows("SELECT tick_body FROM job_ticks ORDER BY id"):
            data = json.loads(body)
            if data["job_name"] != sensor or data["end_timestamp"] is None or data["timestamp"] < since:
                continue
            seconds = data["end_timestamp"] - data["timestamp"]
            status = data["status"]["__enum__"].partition(".")[2]
            found.append(
                {
                    "at": data["timestamp"],
                    "seconds": seconds,
                    "status": status,
                    "runs": len(data["run_ids"] or ()),
                }
            )
        return found

    def cpu(self) -> dict[str, float]:
        """Seconds of CPU so far, by part: runs that ended are in the time of the code server that started them."""
        spent = {"postgres": _with_children(psutil.Process(self._postgres))}
        for process in psutil.Process(self._process.pid).children():
            command = " ".join(process.cmdline())
            names = {"host.code_server": "code server and runs", "dagster._daemon": "daemon"}
            name = next((told for word, told in names.items() if word in command), "webserver")
            spent[name] = spent.get(name, 0.0) + _with_children(process)
        return spent


def _with_children(process: psutil.Process) -> float:
    """Of a process, of its children that are over, and of those that still run."""
    total = 0.0
    try:
        times = process.cpu_times()
        total += times.user + times.system + times.children_user + times.children_system
        for child in process.children():
            total += _with_children(child)
    except psutil.NoSuchProcess:
        pass
    return total
