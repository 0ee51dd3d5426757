"""One-time addresses with which a browser signs in: five minutes, once.

The home holds one file a token, named by its SHA-256. Who can write there owns the home, so any process of the owner
may print an address; and as only one remover of a file succeeds, each works once.
"""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from ultron_core.access.keys import hash_of
from ultron_core.errors import SettingsError
from ultron_core.folders import make_folders

__all__ = ["ADDRESS_FILE", "HOLDS", "address_of", "new_address", "redeem", "running_address"]

#: long enough to copy an address from one window to another
HOLDS = timedelta(minutes=5)
_FOLDER = "sign-in"
#: in the home: where the server of this home listens
ADDRESS_FILE = "serve.json"


def new_address(home: Path, server: str, now: datetime) -> str:
    """An address of the server at `server` that signs its owner in. Those that have expired are forgotten."""
    folder = home / _FOLDER
    make_folders(folder)
    for path in folder.iterdir():
        if _expiry(path) <= now:
            path.unlink(missing_ok=True)
    token = secrets.token_urlsafe(32)
    (folder / hash_of(token)).write_text((now + HOLDS).isoformat(), "utf-8")
    return f"{server}/ui/sign-in?token={quote(token)}"


def redeem(home: Path, token: str, now: datetime) -> bool:
    """Whether the token holds; it does not hold again."""
    path = home / _FOLDER / hash_of(token)
    expiry = _expiry(path)
    try:
        path.unlink()
    except FileNotFoundError:
        return False  # never made, used already, or by somebody else a moment ago
    return now < expiry


def address_of(home: Path) -> str | None:
    """Where the server of this home says that it listens; None when it has not said."""
    try:
        return str(json.loads((home / ADDRESS_FILE).read_text("utf-8"))["address"])
    except (OSError, ValueError, KeyError):
        return None


def running_address(home: Path) -> str:
    """The same. Raises SettingsError when none runs."""
    address = address_of(home)
    if address is None:
        raise SettingsError(f"No server runs for {home}: start one with `ultron serve`.")
    return address


def _expiry(path: Path) -> datetime:
    try:
        return datetime.fromisoformat(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return datetime.min.replace(tzinfo=UTC)  # taken by another process, or no file of ours
