"""What an agent says that the rest of the log bears out: a check that passed afterwards, or a person who takes it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.describe import names_in
from ultron_core.lessons.episodes.find import Episode
from ultron_core.models import Message
from ultron_core.transcript.acceptance import accepts, takes
from ultron_core.transcript.people import is_human

__all__ = ["borne_out"]

#: proofs of what is said in a message, each with the names that it is about
_Shown = Mapping[int, Sequence[tuple[tuple[int, int], set[str]]]]


def borne_out(
    candidates: Sequence[Candidate], messages: Sequence[Message], episodes: Sequence[Episode]
) -> list[Candidate]:
    """The candidates, those of an agent with what bears them out as their `proof`.

    A check that had failed and passed does: for what is said between its last failure and its passing, and for the
    closing behind it, where that names what was changed or what failed. A person does for a closing behind edits, when
    their next turn takes the work.
    """
    turns = [place for place, message in enumerate(messages) if is_human(message)]
    taken = {at for at in turns if accepts(messages[at].content) or takes(messages[at].content)}
    shown = _checked(messages, episodes, turns)
    return [_with_proof(one, shown, turns, taken) for one in candidates]


def _with_proof(one: Candidate, shown: _Shown, turns: Sequence[int], taken: set[int]) -> Candidate:
    if one.source not in ("closing", "remark"):
        return one
    names = names_in(one.text)
    for proof, known in shown.get(one.position, ()):
        if names & known:
            return replace(one, proof=proof)
    following = bisect_right(turns, one.position)
    if one.source == "closing" and one.files and following < len(turns) and turns[following] in taken:
        return replace(one, proof=(turns[following],))
    return one


def _checked(messages: Sequence[Message], episodes: Sequence[Episode], turns: Sequence[int]) -> _Shown:
    """Failures and what passed, by the messages in which they may be told."""
    spoken = [at for at, one in enumerate(messages) if one.role == "assistant" and one.content.strip()]
    found: dict[int, list[tuple[tuple[int, int], set[str]]]] = defaultdict(list)
    known: dict[int, set[str]] = {}
    for episode in episodes:
        failed, worked = episode.failed, episode.worked
        if worked is None or failed.failure is None:
            continue
        last = episode.again[-1].result if episode.again else failed.result
        done = [action for action in episode.between if action.failure is None]
        known.update({id(action): names_in(action.text) for action in done if id(action) not in known})
        names = names_in(failed.failure.line).union(*(known[id(action)] for action in done))
        told = spoken[bisect_right(spoken, last) : bisect_left(spoken, worked.call)]
        following = bisect_right(turns, worked.result)
        end = bisect_left(spoken, turns[following] if following < len(turns) else len(messages))
        closing = spoken[max(end - 1, bisect_right(spoken, worked.result)) : end]
        for place in (*told, *closing):
            found[place].append(((failed.result, worked.result), names))
    return found
