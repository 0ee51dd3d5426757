"""What the finders read: one segment, its calls and its errors, worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ultron_core.lessons.describe import path_of
from ultron_core.lessons.errors.episodes import Episode, find_episodes
from ultron_core.lessons.people.project import project_name
from ultron_core.lessons.people.turns import Turn, read_turns
from ultron_core.lessons.people.work import is_work
from ultron_core.models import Message, Outcome
from ultron_core.transcript.actions import Action, read_actions

__all__ = ["Reading", "read_segment"]

#: folders between the root of a repository and its package
_LAYOUT = frozenset(("src", "lib", "python", "."))


@dataclass(frozen=True, slots=True)
class Reading:
    """`messages` are without system prompts and recalled memories; actions point into them."""

    messages: tuple[Message, ...]
    actions: tuple[Action, ...]
    episodes: tuple[Episode, ...]
    outcome: Outcome
    turns: tuple[Turn, ...]
    #: the name of the project: the session's, else the one that the paths of the segment tell, else empty
    project: str
    #: the agent worked on files or code, or they speak of such work
    work: bool


def read_segment(messages: Sequence[Message], outcome: Outcome, project: str = "") -> Reading:
    """Everything the rules may ask for; `project` is that of the session, where its log tells it.

    An agent that repeats its instructions or a memory taught us nothing.
    """
    kept = tuple(m for m in messages if m.role != "system" and m.origin != "recalled")
    actions = read_actions(kept)
    episodes = tuple(find_episodes(kept, actions))
    project = project or _package(actions) or project_name(kept)
    work = is_work(kept, actions, project)
    return Reading(kept, tuple(actions), episodes, outcome, read_turns(kept), project, work)


def _package(actions: Sequence[Action]) -> str:
    """The folder that all patches of a segment lie in: "django" of `django/db/models/query.py`, or nothing."""
    paths = {path_of(action.arguments) for action in actions if action.tool == "patch"} - {""}
    parts = [
        [part for part in path.split("/") if part not in _LAYOUT]
        for path in paths
        if not path.startswith("/")
    ]
    roots = {part[0] for part in parts if len(part) > 1}
    return roots.pop() if len(roots) == 1 and all(len(part) > 1 for part in parts) else ""
