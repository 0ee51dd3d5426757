"""Later lines win: what the rest of the log refutes, edits away or says again is not kept."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ultron_core.lessons.candidates.candidate import Candidate, Source
from ultron_core.lessons.describe import EDIT, texts_of
from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.language import one_line

__all__ = ["overtaken_at"]

#: a piece of code that names a thing, e.g. `` `--turbo=false` ``
_CODE = re.compile(r"`([^`\n]{6,80})`")
#: who says a passage again so that the later line stands for it; an agent that repeats a person's rule, or a file's,
#: takes nothing back
_SAID_AGAIN_BY: Final[Mapping[Source, tuple[str, ...]]] = {
    "turn": ("human",),
    "closing": ("human", "model"),
    "remark": ("human", "model"),
    "recap": ("human", "model"),
}


def overtaken_at(candidate: Candidate, messages: Sequence[Message], actions: Sequence[Action]) -> int:
    """The line that takes back what the candidate says; 0 for none."""
    behind = [action for action in actions if action.call > max(candidate.position, *candidate.proof, 0)]
    return next(
        (messages[place].start_line for place in _refuting(candidate, messages, behind)),
        0,
    )


def _refuting(candidate: Candidate, messages: Sequence[Message], behind: Sequence[Action]) -> Iterator[int]:
    if candidate.source == "cure":
        yield from (action.result for action in behind if action.failure and candidate.text in action.output)
        return
    names = set(_CODE.findall(candidate.text))
    for action in behind:
        if names and EDIT.search(action.tool) and _removes(names, action):
            yield action.call
    said = one_line(candidate.text)
    again = _SAID_AGAIN_BY.get(candidate.source, ())
    for place in range(candidate.position + 1, len(messages)):
        message = messages[place]
        if message.origin in again and said in one_line(message.content):
            yield place


def _removes(names: set[str], edit: Action) -> bool:
    """Whether an edit takes a named thing out of its file."""
    if edit.failure is not None:
        return False
    old, new = texts_of(edit.arguments)
    return any(name in old and name not in new for name in names)
