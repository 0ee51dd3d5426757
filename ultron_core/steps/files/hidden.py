"""Messages that were erased: a log that still holds them is read without their words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ultron_core.models import LineLedger, Message
from ultron_core.segments import fingerprint_messages
from ultron_core.steps.erased.lines import emptied
from ultron_core.steps.erased.marks import Marks, Name
from ultron_core.steps.files.parsed import Messages, Parsed
from ultron_core.store.tables.packed import Digests

__all__ = ["without_erased"]


def without_erased(marks: Marks, logs: list[Name], session: Parsed) -> Parsed:
    """The log without the words of messages that were erased; `logs` is what it is known by."""
    gone = marks.messages(logs, session.digests)
    if not gone:
        return session
    digests, lines = Digests(), set[int]()
    for at, (message, digest) in enumerate(zip(session.messages, session.digests, strict=True)):
        digests.append(fingerprint_messages([emptied(message)]) if at in gone else digest)
        if at in gone:
            lines.add(message.start_line)

    def read() -> Iterator[Message]:
        for at, message in enumerate(session.messages):
            yield emptied(message) if at in gone else message

    messages = Messages(read, len(digests)) if isinstance(session.messages, Messages) else tuple(read())
    return Parsed(messages, digests, _with_erased(session.ledger, len(lines)), session.info, hides=True)


def _with_erased(ledger: LineLedger, lines: int) -> LineLedger:
    """The fate of these lines is `erased`, no longer `message`."""
    lines = min(lines, ledger.message)
    return replace(ledger, message=ledger.message - lines, skipped={**ledger.skipped, "erased": lines})
