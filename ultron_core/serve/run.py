"""`ultron serve`: one process a home, with models loaded once, until it is stopped or idle."""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from ultron_core.client import Ultron
from ultron_core.errors import SettingsError
from ultron_core.folders import make_home, only_one
from ultron_core.serve.app import make_app
from ultron_core.serve.backend import Backend
from ultron_core.serve.edge.protocol import HEAD_BYTES, BoundedProtocol
from ultron_core.serve.guards import is_local_host
from ultron_core.serve.keeper import DatabaseKeeper
from ultron_core.serve.pages.addresses import ADDRESS_FILE, address_of, new_address
from ultron_core.serve.stopping import REQUEST_SECONDS, StoppableServer
from ultron_core.serve.worker import Worker
from ultron_core.settings import Settings
from ultron_core.steps.keys import OWNER, ensure_key_file
from ultron_core.version import __version__

__all__ = ["Listen", "Loaded", "serve"]

_LOCK_FILE = "serve.lock"
#: where clients look that read no address file
_PORT = 9999
#: a server that a hook or a command started ends when nobody asked for so long
_BACKGROUND_MINUTES = 30


@dataclass(frozen=True, slots=True)
class Listen:
    """Where to listen, and when to end."""

    host: str = "127.0.0.1"
    #: None: the usual one
    port: int | None = None
    idle_exit_minutes: float | None = None
    behind_tls: bool = False
    #: started by a hook or a command, for whoever asks
    background: bool = False

    @property
    def idle_seconds(self) -> float | None:
        minutes = self.idle_exit_minutes or (_BACKGROUND_MINUTES if self.background else None)
        return None if minutes is None else minutes * 60


@dataclass(frozen=True, slots=True)
class Loaded:
    """What another way in is given once the models are loaded: it answers beside HTTP, from the same process."""

    home: Path
    ultron: Ultron
    #: somebody asked: a server that ends when it is idle stays
    note_request: Callable[[], None]
    #: whether the database does not answer: then a command opens it itself, and says what is wrong if it cannot
    is_away: Callable[[], bool]
    #: a client of another version asked: a server that nobody started by hand makes room for one of that version
    outdated: Callable[[], None]


#: opens a way in for as long as the block lasts
Beside = Callable[[Loaded], AbstractContextManager[None]]


def serve(
    settings: Settings,
    listen: Listen,
    say: Callable[[str], None],
    beside: Beside = lambda _: nullcontext(),
) -> None:
    """Serve until stopped. Raises SettingsError when this home has a server already, when the port is taken, and for
    an address that others reach without the conditions for it."""
    home = settings.store.home
    make_home(home)
    # a question says which project it is for: the folder of the server's process means nothing
    own = settings.model_copy(update={"store": settings.store.model_copy(update={"working_folder": None})})
    is_local = is_local_host(listen.host if ":" not in listen.host else f"[{listen.host}]")
    backend = Backend(
        lambda: Ultron(own),
        requests_per_minute=settings.serve.requests_per_minute,
        hosts=() if is_local else (listen.host,),
    )
    with only_one(home / _LOCK_FILE) as alone:
        if not alone:
            where = address_of(home) or "an address that it is about to write"
            raise SettingsError(
                f"A server for {home} runs already, at {where}: use that one (`ultron serve --sign-in` prints an "
                "address for a browser), or end it first."
            )
        with _socket(listen) as sock, closing(backend):
            if not is_local:
                _check_open_to_others(backend, listen)
            _run(backend, home, sock, listen, say, beside)


def _run(
    backend: Backend,
    home: Path,
    sock: socket.socket,
    listen: Listen,
    say: Callable[[str], None],
    beside: Beside,
) -> None:
    address = f"http://{listen.host}:{sock.getsockname()[1]}"
    ways_in = ExitStack()

    def outdated() -> None:
        server.should_exit = server.should_exit or listen.background

    def started(ultron: Ultron) -> None:
        ensure_key_file(ultron.runtime, home)
        loaded = Loaded(home, ultron, backend.note_request, lambda: backend.is_away, outdated)
        ways_in.enter_context(beside(loaded))
        say(f"Ultron is ready at {address}")
        if not listen.background:  # nobody reads along, and what is said goes to a log
            way_in = new_address(home, address, ultron.runtime.clock())
            say(f"Sign in with a browser, once, within five minutes: {way_in}")

    worker = Worker(backend, home, started)
    backend.on_ingest = worker.wake
    keeper = DatabaseKeeper(backend, on_back=worker.wake)
    server = StoppableServer(
        uvicorn.Config(
            make_app(backend),
            log_config=None,
            access_log=False,
            server_header=False,
            http=BoundedProtocol,
            ws="none",
            h11_max_incomplete_event_size=HEAD_BYTES,
            timeout_graceful_shutdown=REQUEST_SECONDS,
        ),
        keeper.stop,
        backend.close,
    )
    # uvicorn prints the stack of a failure, with the values in it; `answers` has logged its kind
    logging.getLogger("uvicorn.error").addFilter(_without_stack)
    if listen.idle_seconds is not None:
        _end_when_idle(backend, server, listen.idle_seconds)
    with _address_file(home, address):
        say(f"Ultron listens at {address} and loads its models.")
        if not backend.loaded:
            backend.load_in_background()
        worker.start()
        keeper.start()
        try:
            server.run(sockets=[sock])
        finally:
            keeper.stop()
            worker.stop()
            ways_in.close()


def _without_stack(record: logging.LogRecord) -> bool:
    record.exc_info = record.exc_text = None
    return True


def _end_when_idle(backend: Backend, server: uvicorn.Server, seconds: float) -> None:
    def watch() -> None:
        while not backend.wait(1):
            pass
        while time.monotonic() - backend.last_request < seconds:
            time.sleep(min(1.0, seconds / 4))
        server.should_exit = True

    threading.Thread(target=watch, name="ultron-idle", daemon=True).start()


def _check_open_to_others(backend: Backend, listen: Listen) -> None:
    if not listen.behind_tls:
        raise SettingsError(
            f"{listen.host} can be reached by others, and keys would travel in the clear: put a proxy with TLS before "
            "it and say --behind-tls."
        )
    backend.load()
    ultron = backend.ultron
    now = ultron.runtime.clock()
    if not any(key.name != OWNER and key.state(now) == "active" for key in ultron.keys.list()):
        raise SettingsError(
            f"{listen.host} can be reached by others: make a key for them first (`ultron keys add`)."
        )


@contextmanager
def _socket(listen: Listen) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    port = _PORT if listen.port is None else listen.port
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((listen.host, port))
        except OSError as error:
            if not (listen.background and listen.port is None and error.errno == errno.EADDRINUSE):
                raise SettingsError(
                    f"{listen.host}:{port} cannot be listened on: {error.strerror}. Choose another --port."
                ) from error
            sock.bind((listen.host, 0))  # another home's server has it; our clients read the address file
        sock.listen()
        yield sock


@contextmanager
def _address_file(home: Path, address: str) -> Iterator[None]:
    path = home / ADDRESS_FILE
    told = json.dumps({"address": address, "pid": os.getpid(), "version": __version__})
    new = path.with_suffix(".new")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(told + "\n")
    new.replace(path)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
