"""Text protocols: the agent writes a block or a line of action, and the next user row is what a program printed.

A session is read by its own regularity (user rows that always answer a block, and open alike), not by one
harness's marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ultron_core.models import Message
from ultron_core.transcript.asked import asked
from ultron_core.transcript.harness import HARNESS_OUTPUT, joined

__all__ = ["FENCE", "fenced", "program_rows", "speaks_text_protocol"]

#: a block, named for its language, for the lines of a file that it shows, or for the file that it writes. One that is
#: set in, or opens behind the mark of a point, ends with a fence that may be set in and opens no block: what an answer
#: said below such a list was taken for code, e.g. ````` ```python⏎print(1)⏎``` `````,
#: ````` ```83:85:src/store.ts⏎let x⏎``` `````, ````` ```xml:web/pom.xml⏎<a>⏎``` `````, ````` - ```⏎  ls⏎  ``` `````
FENCE = re.compile(
    r"(?P<set_in>(?<![^\n])(?:[^\S\n]{1,40}|[^\S\n]{0,40}(?:[-*+]|\d{1,3}[.)])[^\S\n]{1,8}))?"
    r"```(?P<name>[\w+-]*)(?::[^\n`]*)?\n(?P<code>.*?)(?:\n(?(set_in)[^\S\n]{0,40})```(?![\w+-]+(?::[^\n`]*)?\n)|\Z)",
    re.DOTALL,
)
#: "Action: Search[Opry Mills]", "Act 2: go to desk 1", "> open drawer 3"
_ACTION_LINE = re.compile(r"^(?:(?:action|act)\b[^\n:]{0,12}:\s*\S|> ?[a-z])", re.IGNORECASE | re.MULTILINE)
#: no person writes these, e.g. `bash: jq: command not found`, `$ ls`, `<returncode>0</returncode>`, `The last
#: command <command>sleep 99</command> timed out and has been killed.`
_MACHINE_OUTPUT = re.compile(
    r"Traceback \(most recent|command not found|^\$ |^[^\S\n]*<returncode>|timed out and has been killed|"
    rf"{joined(HARNESS_OUTPUT).pattern}",
    re.MULTILINE,
)
#: a session speaks a text protocol when this share of its user rows answers a fenced block
_PROTOCOL_SHARE = 0.6
#: a program opens its answers alike ("Observation: ..."), at least this many of them, with this many characters
_SAME_OPENING, _OPENING_CHARS = 3, 10


def fenced(text: str) -> list[tuple[str, str]]:
    """The fenced blocks of a message: what each is named, and its code."""
    return [(block["name"], block["code"]) for block in FENCE.finditer(text)]


def program_rows(messages: Sequence[Message]) -> frozenset[int]:
    """Positions of user rows that a program wrote, in answer to a block or a line of action.

    In a session of blocks, a row that neither opens like the others nor has what no person writes is a person's.
    """
    answers = [
        (i, m)
        for i, (before, m) in enumerate(pairwise(messages), start=1)
        if m.role == "user" and before.role == "assistant" and not before.tool_calls
    ]
    acted = [i for i, _ in answers if _ACTION_LINE.search(messages[i - 1].content)]
    if len(acted) >= _SAME_OPENING and len(acted) >= 0.8 * len(answers):
        return frozenset(acted)
    if not speaks_text_protocol(messages):
        return frozenset()
    blocks = [i for i, _ in answers if FENCE.search(messages[i - 1].content)]
    openings = Counter(_opening(messages[i]) for i in blocks)
    return frozenset(
        i
        for i in blocks
        if openings[_opening(messages[i])] >= _SAME_OPENING or _MACHINE_OUTPUT.search(messages[i].content)
    )


def _opening(message: Message) -> str:
    return asked(message.content).lstrip()[:_OPENING_CHARS]


def speaks_text_protocol(messages: Sequence[Message]) -> bool:
    """User messages are tool output when most of them answer a fenced block and look like a machine's: one has what
    no person writes, or most open in the same words."""
    machine = total = 0
    openings: Counter[str] = Counter()
    for before, message in pairwise(messages):
        if message.role != "user" or before.role != "assistant":
            continue
        total += 1
        if FENCE.search(before.content) and not before.tool_calls:
            openings[_opening(message)] += 1
            machine += _MACHINE_OUTPUT.search(message.content) is not None
    alike = max(openings.values(), default=0)
    regular = alike >= max(_SAME_OPENING, _PROTOCOL_SHARE * total)
    return (machine > 0 or regular) and openings.total() >= _PROTOCOL_SHARE * total
