"""The redactor of the settings, imported when it is first asked: a search redacts nothing, and the rules take 0.3 s."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ultron_core.models import Finding, Redaction

if TYPE_CHECKING:
    from ultron_core.redaction.names.presidio import PresidioRedactor

__all__ = ["LaterRedactor"]


class LaterRedactor:
    """Implements `Redactor`; `made` is the one that does the work."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    @cached_property
    def made(self) -> PresidioRedactor:
        from ultron_core.redaction.names.presidio import PresidioRedactor, default_redactor

        return PresidioRedactor(self._words) if self._words else default_redactor()

    @property
    def version(self) -> str:
        return self.made.version

    def redact_text(self, text: str) -> Redaction:
        return self.made.redact_text(text)

    def redact_json(self, value: Any) -> tuple[Any, tuple[Finding, ...]]:
        return self.made.redact_json(value)
