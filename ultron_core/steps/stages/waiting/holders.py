"""Who holds a lease: which process of which machine since when. Machines and containers may share a name, and process
numbers are given again."""

from __future__ import annotations

import os
import socket
import subprocess
from functools import cache
from pathlib import Path
from uuid import uuid4

__all__ = ["began", "is_running", "place", "started"]

#: of Linux: this start of the machine, and the space in which processes have their numbers (a container's own)
_BOOT, _NUMBERS = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")


@cache
def place() -> str:
    """Where process numbers mean what they mean here: another boot, container or machine has another place.

    Where neither can be seen, each process has a place of its own: the leases of dead ones then run out by themselves.
    """
    try:
        boot, numbers = _BOOT.read_text("ascii").strip(), str(_NUMBERS.readlink())
    except OSError:
        boot, numbers = _told("sysctl", "-n", "kern.bootsessionuuid") or str(uuid4()), ""
    return "/".join((socket.gethostname(), boot, numbers))


def started(pid: int) -> str:
    """When this process of this place began, in whatever form the system has; "" when that cannot be seen."""
    found = _stat(pid)
    return found[1] if found else _told("ps", "-o", "lstart=", "-p", str(pid))


@cache
def began(own: int) -> str:
    """The same of this process itself: asked once, as outside Linux a program has to tell."""
    return started(own)


def is_running(pid: int, since: str) -> bool:
    """Whether the process is still there, and is the one that began then."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another account's
        pass
    found = _stat(pid)
    if found and found[0] in "ZX":  # it has ended, and its parent has not looked
        return False
    now = found[1] if found else started(pid)
    return not (since and now) or since == now


def _stat(pid: int) -> tuple[str, str] | None:
    """(state, start in ticks since the boot) as Linux tells them."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # behind the name of the program, which may hold anything: `42 (a) b) S 1 ...`
    fields = text.rpartition(")")[2].split()
    return fields[0], fields[19]


def _told(*command: str) -> str:
    # a time is told as the caller's zone and language have it: two callers would see two processes
    alike = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True, env=alike)
        return done.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
