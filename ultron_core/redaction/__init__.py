"""Secrets and personal data out of text and JSON, English and Chinese, before anything shared is written.

Secrets first, then data with a fixed shape, then names. What is found becomes a placeholder such as `<LLM_API_KEY>`;
distinct values of one kind in a document are numbered from the second on. Redacting twice changes nothing.
`docs/redaction.md` lists the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ultron_core.late import late
from ultron_core.redaction.protocol import Redactor

if TYPE_CHECKING:
    from ultron_core.models import Finding, Redaction
    from ultron_core.redaction.names.presidio import REDACTION_VERSION, PresidioRedactor, default_redactor
    from ultron_core.redaction.patterns import find_secrets, redact_patterns

__all__ = [
    "REDACTION_VERSION",
    "PresidioRedactor",
    "Redactor",
    "default_redactor",
    "find_secrets",
    "redact_json",
    "redact_patterns",
    "redact_text",
    "redact_texts",
]

_PRESIDIO = "names.presidio"
__getattr__ = late(
    __name__,
    {
        "REDACTION_VERSION": _PRESIDIO,
        "PresidioRedactor": _PRESIDIO,
        "default_redactor": _PRESIDIO,
        "find_secrets": "patterns",
        "redact_patterns": "patterns",
    },
)


def redact_text(text: str) -> Redaction:
    """The text without secrets and personal data; offsets of the findings are positions in `text`."""
    from ultron_core.redaction.names.presidio import default_redactor

    return default_redactor().redact_text(text)


def redact_texts(texts: Sequence[str]) -> list[Redaction]:
    """Many texts, each a separate document; much faster than one call per text, because names are found in batches."""
    from ultron_core.redaction.names.presidio import default_redactor

    return default_redactor().redact_texts(texts)


def redact_json(value: Any) -> tuple[Any, tuple[Finding, ...]]:
    """A JSON value, redacted as one document; offsets are positions in the string that holds the finding."""
    from ultron_core.redaction.names.presidio import default_redactor

    return default_redactor().redact_json(value)
