"""Session files in a bucket, or anywhere else that fsspec reaches: listed, read, put.

A bucket has no inodes, and its times are those of the last upload: an object is the same when its etag and size are.
It appears whole or not at all, so nothing has to settle.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fsspec.core import url_to_fs

from ultron_core.errors import InputError, SessionFileError
from ultron_core.remote import as_os_errors

__all__ = [
    "BucketObject",
    "is_address",
    "list_objects",
    "object_at",
    "object_is_gone",
    "put_object",
    "read_object",
]

#: what fsspec's file systems call it: S3 `ETag`, Google `etag`, Azure `etag`, memory and files have none
_TAGS = ("ETag", "etag")
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "created")


@dataclass(frozen=True, slots=True)
class BucketObject:
    """One object, as it was when it was listed."""

    url: str
    size: int
    mtime_ns: int
    etag: str

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]

    @property
    def number(self) -> int:
        """The etag as a bigint takes it."""
        digest = hashlib.sha256(f"{self.etag}:{self.size}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)


def is_address(place: str) -> bool:
    """Whether it is meant for fsspec, e.g. `s3://logs/sessions`."""
    return "://" in place


def list_objects(url: str) -> Iterator[tuple[str, BucketObject]]:
    """(name below the address, object) of everything below it, in order of names. Raises OSError when it cannot be
    reached, as everything here does."""
    with as_os_errors():
        system, root = url_to_fs(url)
        system.invalidate_cache()
        found: dict[str, dict[str, Any]] = system.find(root, detail=True)
    top = root.rstrip("/") + "/"
    for path, info in sorted(found.items()):
        if info.get("type") == "file" and path.startswith(top):
            yield path.removeprefix(top), _object(system.unstrip_protocol(path), info)


def object_at(url: str) -> BucketObject:
    """Raises FileNotFoundError, and OSError when the place cannot be reached."""
    with as_os_errors():
        system, path = url_to_fs(url)
        system.invalidate_cache()
        return _object(url, system.info(path))


def object_is_gone(url: str) -> bool:
    """Whether nothing is there any more; a bucket that cannot be reached proves nothing."""
    try:
        object_at(url)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def read_object(one: BucketObject, max_bytes: int = 0) -> tuple[bytes, BucketObject]:
    """Its bytes, and the object as it was just before. Raises OSError, SessionFileError for one over the limit."""
    now = object_at(one.url)
    if max_bytes and now.size > max_bytes:
        raise SessionFileError(
            f"{one.url} holds {now.size:,} bytes, over the limit of {max_bytes:,}: split it, or raise "
            "ULTRON_INGEST_MAX_BYTES (0 means no limit)."
        )
    with as_os_errors():
        system, path = url_to_fs(one.url)
        body: bytes = system.cat_file(path)
    return body, now


def put_object(url: str, name: str, body: bytes) -> BucketObject:
    """Put the bytes below the address, under a relative name, and return what is there now.

    The name is outside words and no part of an address: in those `::` leads to another file system. Raises InputError
    for a name that holds it, since what lies there is read by its address.
    """
    if "::" in name:
        raise InputError("A name with `::` cannot be kept in a bucket: use another agent_id or name.")
    with as_os_errors():
        system, root = url_to_fs(url)
        path = f"{root.rstrip('/')}/{name}"
        system.pipe_file(path, body)
        return object_at(system.unstrip_protocol(path))


def _object(url: str, info: dict[str, Any]) -> BucketObject:
    size = int(info.get("size") or 0)
    changed = next((info[name] for name in _TIMES if info.get(name)), 0)
    mtime_ns = int(_seconds(changed) * 1e9)
    tag = next((str(info[name]).strip('"') for name in _TAGS if info.get(name)), f"{mtime_ns}")
    return BucketObject(url, size, mtime_ns, tag)


def _seconds(changed: Any) -> float:
    if isinstance(changed, datetime):
        return changed.timestamp()
    if isinstance(changed, str):
        return datetime.fromisoformat(changed).timestamp()
    return float(changed)
