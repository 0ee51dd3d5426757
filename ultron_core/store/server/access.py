"""Who may log in to the embedded server: the account that starts it, the one that runs it, and root."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from ultron_core.store.server.place import Place

__all__ = ["USER", "write_access"]

#: the role that owns everything in the server
USER = "ultron"


def write_access(place: Place, listen_port: int | None) -> None:
    """Write who may log in, at every start, so that a data folder of an older version is converted as well.

    The kernel tells the server whose process is at the other end of the socket. An account without a name, as in
    some containers, cannot be mapped: then the folder of the socket alone keeps others out.
    """
    names = {_name(os.geteuid()), _name(place.account.uid), _name(0)}
    method = "trust" if None in names else "peer map=ultron"
    lines = [f"local all {USER} {method}"]
    if listen_port:
        lines.append(f"host all {USER} 127.0.0.1/32 trust")
    _write(place, place.data_dir / "pg_hba.conf", lines)
    _write(
        place,
        place.data_dir / "pg_ident.conf",
        [f'ultron "{name}" {USER}' for name in sorted(filter(None, names))],
    )


def _name(uid: int) -> str | None:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


def _write(place: Place, path: Path, lines: list[str]) -> None:
    path.write_text("# Written by Ultron at every start.\n" + "\n".join(lines) + "\n", "utf-8")
    path.chmod(0o600)
    if place.account.switch:
        os.chown(path, place.account.uid, place.account.gid)
