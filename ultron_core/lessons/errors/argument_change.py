"""Which argument of a call became what, where the failing call and the working one are of one tool."""

from __future__ import annotations

import json
import re

from ultron_core.lessons.describe import NEW_KEYS, OLD_KEYS, general_value, names_in
from ultron_core.lessons.errors.same_check import changed_words, is_respelling, leaves
from ultron_core.lessons.sentences import PHRASES
from ultron_core.transcript.actions import Action
from ultron_core.transcript.language import Lang

__all__ = ["argument_change"]

#: characters of an argument that a sentence can quote
_MAX_VALUE = 60
#: arguments whose change says nothing: a description, the old text of an edit
_SAYS_NOTHING = ("command", "cmd", "description", "workdir", *OLD_KEYS, *NEW_KEYS)


def argument_change(failed: Action, worked: Action, lang: Lang) -> str | None:
    """Which argument became what; of a statement the word in it."""
    before, after = failed.arguments, worked.arguments
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    old, new = leaves(before), leaves(after)
    names = [
        key for key in {**new, **old} if old.get(key) != new.get(key) and key.lower() not in _SAYS_NOTHING
    ]
    names = [name for name in names if _speaks_of(failed, (name, old.get(name), new.get(name)))]
    if not names:
        return None
    words = PHRASES[lang]
    if len(names) > 1:  # which of several changed ones cured it is not known
        asked = [name for name in names if _asked_for(failed, new.get(name), old.get(name))]
        if len(asked) == 1:
            return words["demanded"].format(name=f"`{asked[0]}`")
        given = not any(old.get(name) for name in names)
        return words["given"].format(names=", ".join(f"`{name}`" for name in names[:4])) if given else None
    (name,) = names
    one, other = old.get(name), new.get(name)
    if len(before) == 1 and isinstance(one, str) and isinstance(other, str):
        swapped = changed_words(one, other)
        line = failed.failure.line if failed.failure else ""
        if swapped is None or not swapped[1] or not (names_in(swapped[0]) & names_in(line)):
            return None  # another statement, or a change that the failure does not speak of
        if not is_respelling(*swapped):
            return None  # another column answers another question
        return words["line"].format(old=swapped[0], new=swapped[1])
    shown_old, shown_new = _value(one), _value(other)
    if shown_new and shown_old != shown_new:
        kind = "set" if not shown_old else "value"
        return words[kind].format(name=f"`{name}`", old=f"`{shown_old}`", new=f"`{shown_new}`")
    return None


def _asked_for(failed: Action, new: object, old: object) -> bool:
    """True when a new value holds a number that the failure names and the old one did not."""
    line = failed.failure.line if failed.failure else ""
    named = set(re.findall(r"\d+(?:\.\d+)?", line))
    given, before = (set(re.findall(r"\d+(?:\.\d+)?", json.dumps(v, default=str))) for v in (new, old))
    return bool((given & named) - before)


def _speaks_of(failed: Action, changed: tuple[str, object, object]) -> bool:
    """True when the failure names a changed argument or its value: a different order is not a cure."""
    line = failed.failure.line if failed.failure else ""
    reported = {word.lower() for word in re.findall(r"[A-Za-z]{4,}|[\u4e00-\u9fff]{2}", line)}
    given = re.findall(
        r"[A-Za-z]{4,}|[\u4e00-\u9fff]{2}", json.dumps(changed, ensure_ascii=False, default=str)
    )
    return bool(reported & {word.lower() for word in given})


def _value(value: object) -> str:
    """A value in a few words, without the numbers of one booking or account; empty when it is too long."""
    if value is None or value == "":
        return ""
    text = general_value(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _MAX_VALUE and "\n" not in text else ""
