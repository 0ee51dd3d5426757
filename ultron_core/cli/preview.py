"""`ultron redact --preview PATH`: what redaction would replace in files, shown before anything is stored."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ultron_core.errors import InputError
from ultron_core.models import Redaction
from ultron_core.redaction import PresidioRedactor

__all__ = ["Replacement", "preview"]

#: lines redacted at once
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
    """Every replacement in a file, or in all files below a folder, in order; nothing is written anywhere.

    Links below a folder are passed over, as they are when it is read. Raises InputError.
    """
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    if not (path.is_file() or path.is_dir()):
        raise InputError(f"{path} is no regular file: name a file or a folder.")
    below = path.rglob("*") if path.is_dir() else (path,)
    files = sorted(file for file in below if file == path or (file.is_file() and not file.is_symlink()))
    for file in files:
        lines = file.read_text("utf-8", errors="replace").splitlines()
        for begin in range(0, len(lines), _BATCH):
            batch = lines[begin : begin + _BATCH]
            for number, (line, redaction) in enumerate(
                zip(batch, redactor.redact_texts(batch), strict=True), begin + 1
            ):
                yield from _replacements(str(file), number, line, redaction)


def _replacements(file: str, number: int, line: str, redaction: Redaction) -> Iterator[Replacement]:
    moved = 0  # how much further right the text behind the findings so far is after redaction
    for finding in redaction.findings:
        start, end = finding.start + moved, finding.start + moved + len(finding.placeholder)
        moved = end - finding.end
        before = line[max(0, finding.start - _CONTEXT) : finding.end + _CONTEXT]
        after = redaction.text[max(0, start - _CONTEXT) : end + _CONTEXT]
        yield Replacement(file, number, finding.entity, _printable(before), _printable(after))


def _printable(text: str) -> str:
    """Control and invisible characters written out, so that a log cannot steer the terminal that shows it."""
    return "".join(
        f"\\x{ord(char):02x}" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char
        for char in text
    )
