"""Sentences that differ in one list of code alone become one sentence with both lists."""

from __future__ import annotations

import re

__all__ = ["joined"]

#: e.g. `` `mix test`, `mix credo` ``
_LIST = re.compile(r"`[^`\n]+`(?:, `[^`\n]+`)*")


def joined(old: str, new: str) -> str | None:
    """`old` with the members of `new`'s list that it lacks; None where more than one list differs.

    "Changes are checked with `mix test`." and "Changes are checked with `mix test`, `mix credo`." say one thing: set
    one under the other they read as an error.
    """
    before, after = _LIST.search(old), _LIST.search(new)
    if before is None or after is None:
        return None
    if (old[: before.start()], old[before.end() :]) != (new[: after.start()], new[after.end() :]):
        return None
    members = dict.fromkeys([*before.group().split(", "), *after.group().split(", ")])
    return old[: before.start()] + ", ".join(members) + old[before.end() :]
