"""What a person asks with a message, without what their editor or a command put around it."""

from __future__ import annotations

import re

from ultron_core.transcript.harness import ASKED_BELOW, PUT_IN, joined

__all__ = ["asked"]

#: what stands above the request, e.g. `# Context from my IDE setup:⏎⏎## My request for Codex:⏎fix it`
_BELOW = joined(ASKED_BELOW, re.MULTILINE | re.DOTALL)
#: what stands in it or below it, e.g. `<current_datetime>2025-12-02T05:26:39Z</current_datetime>`, `[Image #1]`
_PUT_IN = joined(PUT_IN, re.MULTILINE | re.DOTALL)
#: the guide of a command as a file of its own, with what it does at its head: "---\ndescription: Plan it\n---"
_DESCRIBED = re.compile(
    r"\A\s*---\n(?:(?!---$).*\n){0,20}?description: *[\"']?(.+?)[\"']?\n(?:.*\n){0,20}?---$", re.MULTILINE
)
#: what was typed behind the command, in its guide: "## User Input\n\n```text\nuser story 1\n```"
_TYPED_BEHIND = re.compile(r"^#+ User Input\s+```\w*\n(.*?)\n?```\s*$", re.MULTILINE | re.DOTALL)
#: stands there when nothing was typed
_NOTHING = "$ARGUMENTS"


def asked(text: str) -> str:
    """The words of the request; of a command's guide what it does and what was typed behind it. All of a text that
    nothing was put around, and of one that holds nothing else."""
    below = _BELOW.match(text)
    own = _PUT_IN.sub(" ", text[below.end() :] if below else text).strip()
    described, typed = _DESCRIBED.match(own), _TYPED_BEHIND.search(own)
    if described or typed:
        words = typed[1].strip() if typed else ""
        own = (
            "\n".join(
                part for part in (described[1] if described else "", words) if part and part != _NOTHING
            )
            or own
        )
    return own or text
