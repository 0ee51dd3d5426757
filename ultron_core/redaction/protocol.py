"""The published protocol of a redactor; anything with these members can be plugged in."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from ultron_core.models import Finding, Redaction

__all__ = ["Redactor"]


@runtime_checkable
class Redactor(Protocol):
    """Text and JSON without secrets and personal data; idempotent; `version` is stored on redacted rows."""

    @property
    def version(self) -> str: ...

    def redact_text(self, text: str) -> Redaction: ...

    def redact_json(self, value: Any) -> tuple[Any, tuple[Finding, ...]]: ...
