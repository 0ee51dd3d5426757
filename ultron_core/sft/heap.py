"""Freed memory goes back to the system. The C library keeps what a batch freed, some 50 MB in each process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

__all__ = ["give_back"]


def give_back() -> None:
    """Milliseconds after a batch of rows; nothing where the C library has no such call."""
    if trim := _trim():
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    """glibc's `malloc_trim`. Other libraries have no such function, and keep less."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
