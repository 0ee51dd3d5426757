"""How far the cure of a memory is borne out once the words of several are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ultron_core.memories.merging.bodies import Body
from ultron_core.models import Cure

__all__ = ["cure_of_merge"]


def cure_of_merge(merged: Body, parts: Sequence[tuple[Body, Cure]]) -> Cure:
    """The cure of a body that was made of `parts`: the best of those whose resolution stands in it as it was, and of
    resolutions put together the least; "none" where no resolution is left."""
    if not merged.resolution.strip():
        return "none"
    same = [cure for body, cure in parts if body.resolution == merged.resolution]
    if same:
        return min(same, key=get_args(Cure).index)
    given = {cure for body, cure in parts if body.resolution.strip()}
    return "claimed" if "claimed" in given else "verified" if given == {"verified"} else "none"
