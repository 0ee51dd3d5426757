"""`ultron redact --preview PATH`: what redaction would replace in files, shown before anything is stored."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ultron_core.errors import InputError
from ultron_core.redaction import PresidioRedactor

__all__ = ["Replacement", "preview"]

_BATCH = 200
#: characters of the line shown before and behind what goes
_CONTEXT = 24


@dataclass(frozen=True, slots=True)
class Replacement:
    """One finding: where it is, of what kind, the text around it as it is and as it would be stored."""

    file: str
    line: int
    entity: str
    before: str
    after: str


def preview(path: Path, redactor: PresidioRedactor) -> Iterator[Replacement]:
    """Every replacement in a file, or in all files below a folder, in order; nothing is written anywhere."""
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    for file in files:
        lines = file.read_text("utf-8", errors="replace").splitlines()
        for begin in range(0, len(lines), _BATCH):
            batch = lines[begin : begin + _BATCH]
            for number, (line, redaction) in enumerate(
                zip(batch, redactor.redact_texts(batch), strict=True), begin + 1
            ):
                for finding in redaction.findings:
                    head = line[max(0, finding.start - _CONTEXT) : finding.start]
                    tail = line[finding.end : finding.end + _CONTEXT]
                    gone = line[finding.start : finding.end]
                    yield Replacement(
                        str(file),
                        number,
                        finding.entity,
                        _printable(head + gone + tail),
                        _printable(head + finding.placeholder + tail),
                    )


def _printable(text: str) -> str:
    """Control and invisible characters written out, so that a log cannot steer the terminal that shows it."""
    return "".join(
        f"\\x{ord(char):02x}" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char
        for char in text
    )
