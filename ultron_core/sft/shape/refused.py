"""The exception by which a part of the shaping says that a segment makes no row."""

from __future__ import annotations

__all__ = ["Refused"]


class Refused(Exception):
    """`reason` is one of the stable words of docs/sft.md."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail
