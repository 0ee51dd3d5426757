"""A process that keeps server, embedder and connections warm, and runs commands for its owner on a Unix socket.

    python -m ultron_core.cli.resident --home HOME

It ends when nobody asked for half an hour, and when a client of another version asks. Requests are run one after
another: each has the process's output, working folder and terminal for itself.
"""

from __future__ import annotations

import argparse
import io
import logging
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from ultron_core.cli.asking import ASKED, receive, send, settings_digest, socket_path
from ultron_core.cli.opening import lend
from ultron_core.cli.output import Terminal, terminal
from ultron_core.client import Ultron
from ultron_core.folders import make_home, only_one
from ultron_core.settings import Settings
from ultron_core.version import __version__

__all__ = ["IDLE_SECONDS", "run"]

logger = logging.getLogger("ultron.resident")
#: without a request for so long the process ends
IDLE_SECONDS = 30 * 60.0
#: a client that sends nothing is let go after so many seconds
_REQUEST_SECONDS = 5.0


def run(settings: Settings, *, idle_seconds: float = IDLE_SECONDS) -> bool:
    """Answer until idle; False when another process does already."""
    home = settings.store.home
    path = socket_path(home)
    make_home(path.parent)
    with only_one(path.with_suffix(".lock")) as alone:
        if not alone:
            return False
        with Ultron(settings) as ultron:
            ultron.runtime.embedder.embed(["the model is loaded before the first question"])
            with _listening(path) as sock, lend(ultron):
                _serve(sock, home, idle_seconds)
    return True


@contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    path.unlink(missing_ok=True)  # of a process that was killed: the lock is ours
    before = os.umask(0o177)
    try:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.bind(str(path))
    finally:
        os.umask(before)
    try:
        sock.listen(16)
        yield sock
    finally:
        path.unlink(missing_ok=True)
        sock.close()


def _serve(sock: socket.socket, home: Path, idle_seconds: float) -> None:
    digest = settings_digest(home, os.environ)
    sock.settimeout(idle_seconds)
    while True:
        try:
            client, _ = sock.accept()
        except TimeoutError:
            return
        with client:
            client.settimeout(_REQUEST_SECONDS)
            try:
                request = receive(client)
                if request is None:
                    continue
                answer = _answer(request, home, digest)
                send(client, answer)
            except (OSError, ValueError) as error:
                logger.info("a request was not answered: %s", error)
                continue
            if answer.get("refused") == "version":
                return


def _answer(request: Mapping[str, Any], home: Path, digest: str) -> dict[str, Any]:
    if request.get("version") != __version__:
        return {"refused": "version"}
    arguments = [str(one) for one in request.get("arguments", ())]
    if request.get("settings") != digest:
        return {"refused": "settings"}
    try:
        os.chdir(str(request["folder"]))
    except OSError:
        return {"refused": "folder"}
    if not arguments or arguments[0] not in ASKED:
        return {"refused": "command"}
    return _run(
        ["--home", str(home), *arguments], Terminal(request.get("columns"), bool(request["terminal"]))
    )


def _run(arguments: Sequence[str], shown: Terminal) -> dict[str, Any]:
    from ultron_core.cli.main import run_command

    out, err = io.StringIO(), io.StringIO()
    with terminal(shown), redirect_stdout(out), redirect_stderr(err):
        code = run_command(arguments)
    return {"out": out.getvalue(), "err": err.getvalue(), "code": code}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--idle-seconds", type=float, default=IDLE_SECONDS)
    given = parser.parse_args()
    with suppress(KeyboardInterrupt):
        run(Settings.load(home=given.home), idle_seconds=given.idle_seconds)


if __name__ == "__main__":
    main()
