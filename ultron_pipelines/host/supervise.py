"""What `ultron dev` runs: Dagster's code server, daemon and webserver, each started again when it ends.

One that keeps ending is not started for ever: the command ends too and says which one it was. The embedded PostgreSQL
is started again as well; Dagster's processes then begin anew, since their connections are gone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ultron_core import folders
from ultron_core.errors import StoreError

__all__ = ["Part", "dagster_parts", "only_one", "supervise"]

#: a part that ended so often within so many seconds will not stay up
_MOST_ENDS, _WITHIN_SECONDS = 5, 60
#: exit codes of a part that somebody killed, which says nothing about whether the next one stays up
_KILLED = {-signal.SIGKILL, -signal.SIGTERM}
#: how often parts are looked at, and the database, which costs a connection
_LOOK_SECONDS, _DATABASE_SECONDS = 0.5, 3.0
#: a code server has loaded the definitions after some 5 s on a quiet machine
_START_SECONDS = 90
#: how a part is asked to end, and for how many seconds
_ENDING = ((signal.SIGINT, 6), (signal.SIGTERM, 4), (signal.SIGKILL, 4))
_MODULE, _CODE_SERVER = "ultron_pipelines.definitions", "ultron_pipelines.host.code_server"
_WEBSERVER = "ultron_pipelines.host.webserver"
#: ticks that find nothing to do are in the UI
_QUIET = ("--log-level", "warning")


@dataclass
class Part:
    """One process that has to stay up, and when it ended."""

    name: str
    command: Sequence[str]
    #: whether it can be used; the parts after it wait for that
    ready: Callable[[], bool] = lambda: True
    process: subprocess.Popen[bytes] | None = None
    ends: list[float] = field(default_factory=list)
    _started: float = 0.0
    _was_ready: bool = False

    def is_usable(self, environment: Mapping[str, str], now: float) -> bool:
        """Whether it is up and ready, or has had time enough for that; one that does not run is started."""
        if self.process is None:
            # its own process group: Ctrl-C reaches the supervisor alone, which then ends the parts in order
            self.process = subprocess.Popen(self.command, env=dict(environment), start_new_session=True)
            self._started, self._was_ready = now, False
        self._was_ready = self._was_ready or self.ready()
        return self._was_ready or now - self._started > _START_SECONDS

    @property
    def code(self) -> int | None:
        """The exit code of one that ended."""
        return None if self.process is None else self.process.returncode

    def ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def is_hopeless(self, now: float) -> bool:
        """Count one more end, unless it was killed."""
        if self.code in _KILLED:
            return False
        self.ends = [end for end in self.ends if now - end < _WITHIN_SECONDS] + [now]
        return len(self.ends) >= _MOST_ENDS

    def stop(self) -> None:
        _stop([self])


def dagster_parts(folder: Path, host: str, port: int) -> list[Part]:
    """Code server, daemon and webserver, in the order in which they start; `folder` is short and private."""
    socket = folder / "code.sock"
    workspace = folder / "workspace.yaml"
    workspace.write_text(
        f"load_from:\n  - grpc_server:\n      socket: {socket}\n      location_name: ultron\n", "utf-8"
    )
    python = [sys.executable, "-m"]
    code = [*python, _CODE_SERVER, "--module-name", _MODULE, "--socket", str(socket)]
    return [
        Part(
            "code server",
            [*code, "--location-name", "ultron", *_QUIET],
            lambda: _answers(socket),
        ),
        Part("daemon", [*python, "dagster._daemon", "run", "-w", str(workspace), *_QUIET]),
        Part(
            "webserver",
            [
                *python,
                _WEBSERVER,
                "-w",
                str(workspace),
                "--host",
                host,
                "--port",
                str(port),
                *_QUIET,
            ],
        ),
    ]


def _answers(socket: Path) -> bool:
    from dagster._core.errors import DagsterUserCodeUnreachableError
    from dagster._grpc.client import DagsterGrpcClient

    if not socket.exists():
        return False
    try:
        return bool(DagsterGrpcClient(socket=str(socket)).ping("up"))
    except DagsterUserCodeUnreachableError:
        return False


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """Hold the lock of a home. Raises StoreError when another `ultron dev` has it."""
    with folders.only_one(home / folders.DAGSTER_LOCK) as alone:
        if not alone:
            raise StoreError(
                f"Another `ultron dev` runs on {home}: use its page, stop it, or set ULTRON_HOME to another folder."
            )
        yield


def supervise(
    parts: Sequence[Part],
    environment: Mapping[str, str],
    *,
    revive_database: Callable[[], bool] = lambda: False,
    say: Callable[[str], None],
) -> int:
    """Keep the parts up until SIGINT or SIGTERM; returns the exit code. `revive_database` says whether it had to."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        return _keep_up(parts, environment, revive_database, say, stop)
    finally:
        _stop(parts)


def _keep_up(
    parts: Sequence[Part],
    environment: Mapping[str, str],
    revive_database: Callable[[], bool],
    say: Callable[[str], None],
    stop: threading.Event,
) -> int:
    looked = time.monotonic()
    while not stop.is_set():
        now = time.monotonic()
        # also while a part starts, which may wait for the database
        if now - looked > _DATABASE_SECONDS:
            looked = now
            if revive_database():
                say("PostgreSQL had ended and was started again; Dagster begins anew.")
                _stop(parts)
                for part in parts:
                    part.ends.clear()  # it may have ended for want of the database
        for part in parts:
            if part.ended():
                if part.is_hopeless(now):
                    often = f"{_MOST_ENDS} times in {_WITHIN_SECONDS} s"
                    say(f"Dagster's {part.name} ended {often} (exit code {part.code}): giving up.")
                    return 1
                say(f"Dagster's {part.name} ended (exit code {part.code}) and is started again.")
                part.stop()  # what is left of its process group
            if not part.is_usable(environment, now):
                break  # the parts after it wait
        stop.wait(_LOOK_SECONDS)
    return 0


def _stop(parts: Sequence[Part]) -> None:
    """End parts and all that they started, together; each is asked before it is killed."""
    groups = [part.process for part in parts if part.process is not None]
    for number, seconds in _ENDING:
        for child in groups:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, number)
        deadline = time.monotonic() + seconds
        while groups and time.monotonic() < deadline:
            groups = [child for child in groups if _is_there(child)]
            time.sleep(0.1)
    for part in parts:
        part.process = None


def _is_there(child: subprocess.Popen[bytes]) -> bool:
    """Whether any process of its group is left."""
    child.poll()
    try:
        os.killpg(child.pid, 0)
    except ProcessLookupError:
        return False
    return True
