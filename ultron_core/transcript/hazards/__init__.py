"""What a text would make an agent do that its owner must confirm first: run what the network sends, delete, switch
off a check, point at another remote, open access, send data out, install what nobody asked for.

`spoken` finds the commands in prose, `commands` says what one does, `packages` what one installs, `prose` what plain
words ask for.
"""

from __future__ import annotations

from typing import Literal, get_args

from ultron_core.transcript.hazards.commands import done_by
from ultron_core.transcript.hazards.packages import names_in, replaced, unnamed
from ultron_core.transcript.hazards.prose import asked_for, is_forbidden, settings_in
from ultron_core.transcript.hazards.spoken import plain, spoken

__all__ = ["HAZARDS", "Hazard", "hazards"]

Hazard = Literal[
    "runs_remote",
    "deletes",
    "disables_checks",
    "changes_remote",
    "opens_access",
    "sends_out",
    "installs_unnamed",
]
HAZARDS: tuple[Hazard, ...] = get_args(Hazard)


def hazards(content: str, *more: str) -> tuple[Hazard, ...]:
    """The kinds of what these texts would make an agent do, each once, in the order of HAZARDS; what is only forbidden
    does not count. A package is named by the words of any of the texts outside of what installs it."""
    texts = [plain(text) for text in (content, *more) if text.strip()]
    found: set[str] = set()
    named = names_in(texts)
    if replaced(texts):
        found.add("installs_unnamed")
    for text in texts:
        found.update(asked_for(text), settings_in(text))
        for said in spoken(text):
            kinds = set(done_by(said))
            if unnamed(said, named):
                kinds.add("installs_unnamed")
            if kinds and not is_forbidden(text, said.start):
                found |= kinds
    return tuple(kind for kind in HAZARDS if kind in found)
