"""The command line's half of `ultron serve`: runs commands for the server's owner, asked on a Unix socket in the home.

Requests are run one after another, as each has the process's output for itself while it runs.
"""

from __future__ import annotations

import io
import logging
import os
import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from ultron_core.cli.asking import ASKED, receive, send, settings_digest, socket_path
from ultron_core.cli.opening import lend
from ultron_core.cli.output import Terminal, terminal
from ultron_core.client import Ultron
from ultron_core.folders import make_home
from ultron_core.serve.run import Loaded
from ultron_core.version import __version__

__all__ = ["answering"]

logger = logging.getLogger("ultron.serve")
#: a client that sends nothing is let go after so many seconds
_REQUEST_SECONDS = 5.0
#: how soon a stop is noticed
_LOOK_SECONDS = 0.2
#: the command that runs when the server ends has so long
_STOP_SECONDS = 1.0


@contextmanager
def answering(loaded: Loaded) -> Iterator[None]:
    """Answer commands on the socket of the home during the block; whoever runs it holds the lock of the home."""
    path = socket_path(loaded.home)
    make_home(path.parent)
    path.unlink(missing_ok=True)  # of a process that was killed
    with _Sockets(path, _Commands(loaded).answer) as server:
        thread = threading.Thread(
            target=server.serve_forever, args=(_LOOK_SECONDS,), name="ultron-commands", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
            # it waits for the command that runs, which may wait for the database
            threading.Thread(target=server.shutdown, name="ultron-commands-end", daemon=True).start()
            thread.join(_STOP_SECONDS)


class _Sockets(socketserver.UnixStreamServer):
    """One connection at a time; what is asked meanwhile waits."""

    request_queue_size = 16

    def __init__(self, path: Path, answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
        self.answer = answer
        super().__init__(str(path), _Connection, bind_and_activate=False)
        before = os.umask(0o177)
        try:
            self.server_bind()
        finally:
            os.umask(before)
        self.server_activate()


class _Connection(socketserver.BaseRequestHandler):
    """One request and its answer."""

    def handle(self) -> None:
        assert isinstance(self.server, _Sockets)
        self.request.settimeout(_REQUEST_SECONDS)
        try:
            request = receive(self.request)
            if request is not None:
                send(self.request, self.server.answer(request))
        except (OSError, ValueError) as error:
            logger.info("a command was not answered: %s", error)


class _Commands:
    """What is asked, and by whom."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._digest = settings_digest(loaded.home, os.environ)

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """What the command printed with its exit code, or why it is refused: then the client runs it itself."""
        if request.get("version") != __version__:
            self._loaded.outdated()
            return {"refused": "version"}
        arguments = [str(one) for one in request.get("arguments", ())]
        if request.get("settings") != self._digest:
            return {"refused": "settings"}
        if not arguments or arguments[0] not in ASKED:
            return {"refused": "command"}
        if self._loaded.is_away():
            return {"refused": "database"}
        self._loaded.note_request()
        shown = Terminal(request.get("columns"), bool(request["terminal"]))
        told = _run(self._loaded.ultron.within(Path(str(request["folder"]))), arguments, shown)
        # these commands only read: where the database went meanwhile, the client asks again by itself
        return {"refused": "database"} if told["code"] and self._loaded.is_away() else told


def _run(ultron: Ultron, arguments: Sequence[str], shown: Terminal) -> dict[str, Any]:
    from ultron_core.cli.main import run_command

    out, err = io.StringIO(), io.StringIO()
    with lend(ultron), terminal(shown), redirect_stdout(out), redirect_stderr(err):
        code = run_command(arguments)
    return {"out": out.getvalue(), "err": err.getvalue(), "code": code}
