"""Places that fsspec reaches (buckets, hubs): what their clients raise, as errors that callers know."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ultron_core.errors import UltronError

__all__ = ["as_os_errors"]


@contextmanager
def as_os_errors() -> Iterator[None]:
    """What a remote file system raises, as OSError. fsspec asks its file systems for OSError, but where the network is
    away each passes on what its HTTP client raised: botocore's EndpointConnectionError, httpx's ConnectError."""
    try:
        yield
    except (OSError, ValueError, ImportError, UltronError):
        raise
    except Exception as error:  # a plug-in's, of any class: it is passed on with its name and text
        raise OSError(f"{type(error).__name__}: {error}") from error
