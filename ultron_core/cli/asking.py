"""The light half of `ultron`: ask the server of the home, if one runs. Imports the standard library alone.

A request is one JSON object: version, digest of the settings, arguments, folder and terminal of the caller. The answer
is what the command printed, and its exit code.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import struct
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ultron_core.folders import find_home
from ultron_core.version import __version__

__all__ = [
    "ASKED",
    "ask",
    "command_of",
    "is_answering",
    "receive",
    "send",
    "settings_digest",
    "socket_path",
]

#: commands that the server runs
ASKED = ("search", "show", "memories", "history", "sessions", "stats")
#: bytes of a Unix socket's path on every system, less the end mark
_PATH_LIMIT = 103
#: seconds to connect, and for a whole answer
_CONNECT_SECONDS, _ANSWER_SECONDS = 1.0, 120.0
#: bytes of a request or an answer
_MOST = 64_000_000
#: variables that settings are read from, and those that mean nothing to the server or are the caller's own
_PREFIXES = ("ULTRON_", "OPENAI_", "DASHSCOPE_")
_OWN = ("ULTRON_HOME", "ULTRON_WORKING_FOLDER", "ULTRON_AUTOSERVE", "ULTRON_ACCESS_KEY")


def ask(arguments: Sequence[str]) -> int | None:
    """The exit code of a command that the server ran; None when this process must run it."""
    command, home = command_of(arguments)
    if not command or command[0] not in ASKED:
        return None
    answer = _answer(home, command)
    if answer is None or "refused" in answer:
        return None
    try:
        sys.stdout.write(answer["out"])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.stderr.write(answer["err"])
    return int(answer["code"])


def is_answering(home: Path) -> bool:
    """Whether a server runs commands for this home, if not with everybody's settings."""
    try:
        with _connected(socket_path(home)):
            return True
    except OSError:
        return False


def command_of(arguments: Sequence[str]) -> tuple[list[str], Path]:
    """The command with its own arguments, and the home that it is for."""
    home, rest = "", list(arguments)
    while rest and rest[0].startswith("--home"):
        option = rest.pop(0)
        home = option[len("--home=") :] if option.startswith("--home=") else rest.pop(0) if rest else ""
    path = Path(home).expanduser() if home else find_home(os.environ)
    return rest, path.resolve()


def socket_path(home: Path) -> Path:
    """In the home; where its path is too long for the kernel, in a folder of one's own in the temporary folder."""
    path = home / "commands.sock"
    if len(os.fsencode(path)) <= _PATH_LIMIT:
        return path
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"ultron-{os.geteuid()}-{digest}" / "commands.sock"


def settings_digest(home: Path, environ: Mapping[str, str]) -> str:
    """Changes when a variable or a file that settings are read from does."""
    named = sorted((k, v) for k, v in environ.items() if k.startswith(_PREFIXES) and k not in _OWN)
    digest = hashlib.sha256(json.dumps(named).encode())
    for path in (home / "ultron.toml", home.parent / "ultron.toml"):
        try:
            digest.update(path.read_bytes())
        except OSError:
            digest.update(b"\0")  # as good as none: the command itself reports a file that cannot be read
    return digest.hexdigest()


def _answer(home: Path, arguments: Sequence[str]) -> dict[str, Any] | None:
    path = socket_path(home)
    request = {
        "version": __version__,
        "settings": settings_digest(home, os.environ),
        "arguments": list(arguments),
        "folder": os.environ.get("ULTRON_WORKING_FOLDER") or str(Path.cwd()),
        "columns": _columns(),
        "terminal": sys.stdout.isatty(),
    }
    try:
        with _connected(path) as sock:
            sock.settimeout(_ANSWER_SECONDS)
            send(sock, request)
            return receive(sock)
    except (OSError, ValueError):
        return None  # no server, or one that just ends: the command runs here


@contextmanager
def _connected(path: Path) -> Iterator[socket.socket]:
    """Raises OSError when nobody listens, and for a socket that is somebody else's."""
    if path.lstat().st_uid != os.geteuid():
        raise PermissionError(f"{path} belongs to somebody else")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(_CONNECT_SECONDS)
        sock.connect(str(path))
        yield sock


def _columns() -> int | None:
    if os.environ.get("COLUMNS") or sys.stdout.isatty():
        return shutil.get_terminal_size().columns
    return None


def send(sock: socket.socket, message: Mapping[str, Any]) -> None:
    """One message: its length in four bytes, then JSON."""
    body = json.dumps(message).encode()
    sock.sendall(struct.pack(">I", len(body)) + body)


def receive(sock: socket.socket) -> dict[str, Any] | None:
    """The next message, or None at the end of the stream. Raises ValueError for one that is none."""
    head = _read(sock, 4)
    if head is None:
        return None
    (size,) = struct.unpack(">I", head)
    if size > _MOST:
        raise ValueError(f"a message of {size} bytes")
    body = _read(sock, size)
    return None if body is None else dict(json.loads(body))


def _read(sock: socket.socket, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = sock.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
