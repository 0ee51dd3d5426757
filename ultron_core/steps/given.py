"""What a caller passes in, checked before anything is done with it: one InputError that names the argument.

A value of another type, half a surrogate pair, a tag of a megabyte or a limit of 2**70 would otherwise come back as an
error of the database driver, and a filter that nothing can match as an empty result.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, get_args

from ultron_core.errors import InputError, UnknownNameError
from ultron_core.models import MemoryType, Proof, Status
from ultron_core.paths import check_folder_name
from ultron_core.sessions.text import check_names

if TYPE_CHECKING:
    from ultron_core.steps.upload.records import Upload

__all__ = [
    "MEMORY_TYPES",
    "MOST_COUNT",
    "MOST_NAME",
    "MOST_QUERY",
    "MOST_RESULTS",
    "PROOFS",
    "STATUSES",
    "TIERS",
    "check_agent",
    "check_count",
    "check_filters",
    "check_id",
    "check_name",
    "check_names_of",
    "check_one_of",
    "check_score",
    "check_search",
    "check_tags",
    "check_task_type",
    "check_text",
    "check_times",
    "check_upload",
    "items_of",
    "upload_of",
]

MEMORY_TYPES: tuple[str, ...] = get_args(MemoryType)
TIERS = ("HOT", "WARM", "COLD")
STATUSES: tuple[str, ...] = get_args(Status)
PROOFS: tuple[str, ...] = get_args(Proof)
#: an index of Postgres takes 2,704 bytes an entry: a name of so many characters always fits
MOST_NAME = 200
#: tags of one memory
MOST_TAGS = 100
#: a memory is a lesson; a log of this size belongs in a session file
MOST_TEXT = 1_000_000
#: characters of a query
MOST_QUERY = 100_000
#: results of one search
MOST_RESULTS = 10_000
#: what an integer column holds
MOST_COUNT = 2**31 - 1
_UPLOAD_FIELDS = ("content", "context", "resolution", "tags", "idempotency_key", "agent_id", "project")


def check_text(name: str, value: Any, *, most: int = MOST_TEXT) -> None:
    """A string of at most `most` characters; half surrogate pairs in it are cleaned later."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be a string, not {_kind(value)}.")
    if len(value) > most:
        raise InputError(f"{name} has {len(value):,} characters; the limit is {most:,}. Shorten or split it.")


def check_name(name: str, value: Any, *, optional: bool = False) -> None:
    """A name that is looked up as it is given: not empty, at most MOST_NAME characters, storable."""
    if value is None and optional:
        return
    check_text(name, value, most=MOST_NAME)
    if not value.strip():
        raise InputError(f"{name} is empty: give a name.")
    check_names(**{name: value})


def check_id(name: str, value: Any, *, optional: bool = False) -> None:
    """A name that is stored as it is given in every row that it owns, and shown: one that holds a secret is refused, or
    a character that nobody sees."""
    from ultron_core.redaction import find_secrets

    check_name(name, value, optional=optional)
    if value is not None and not value.isprintable():
        raise InputError(f"{name} holds a line end, a control or an invisible character: use a plain name.")
    if value is not None and find_secrets(value):
        raise InputError(f"{name} holds a key, token or password: use a name without it.")


def check_agent(name: str, value: Any, *, optional: bool = False) -> None:
    """What an agent's id may look like, wherever it comes from: it names a folder below the drop folder, begins
    partition keys, and stands in every row of the agent. Letters of any script, digits, spaces and signs such as `@`,
    `.`, `:` and `-` may be in it; not what `check_id` and `check_folder_name` refuse. `name` is the field to blame."""
    check_id(name, value, optional=optional)
    if value is not None:
        check_folder_name(name, value)


def check_names_of(name: str, values: Any, allowed: Collection[str] | None = None) -> None:
    """None or a list of names; with `allowed` each must be one of these, whatever its case for upper-case ones."""
    if values is None:
        return
    for value in items_of(name, values):
        if allowed is None:
            check_name(name, value)
        else:
            check_one_of(name, value, allowed)


def check_search(query: Any, limit: Any, agent_id: Any, since: Any, until: Any) -> None:
    """What every search takes."""
    check_text("query", query, most=MOST_QUERY)
    check_count("limit", limit, most=MOST_RESULTS)
    check_agent("agent_id", agent_id, optional=True)
    check_times(since=since, until=until)


def check_filters(memory_types: Any, tags: Any, tiers: Any, status: Any, proof: Any) -> None:
    """What a search of memories can be narrowed by."""
    check_names_of("memory_type", memory_types, MEMORY_TYPES)
    check_names_of("tier", tiers, TIERS)
    check_one_of("status", status, STATUSES)
    check_names_of("proof", proof, PROOFS)
    check_names_of("tags", tags)


def check_tags(tags: Any) -> None:
    """A list of at most MOST_TAGS tags; None is none."""
    found = [] if tags is None else items_of("tags", tags)
    if len(found) > MOST_TAGS:
        raise InputError(f"{len(found):,} tags are too many: the limit is {MOST_TAGS}.")
    for tag in found:
        check_text("tag", tag, most=MOST_NAME)


def items_of(name: str, values: Any) -> list[Any]:
    """The items of a list; a text is not one."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list, not {_kind(values)}.")
    return list(values)


def check_one_of(name: str, value: Any, allowed: Collection[str]) -> None:
    """One of these words: an unknown one would find nothing and say nothing."""
    known = value.upper() if isinstance(value, str) and allowed is TIERS else value
    if not isinstance(known, str):
        raise InputError(f"{name} must be one of {', '.join(allowed)}, not {_kind(value)}.")
    if known not in allowed:
        raise UnknownNameError(name, InputError.clean(value)[:40], allowed)


def check_task_type(value: Any) -> None:
    if value is not None:
        from ultron_core.labels import TASK_TYPES

        check_one_of("task_type", value, TASK_TYPES)


def check_count(name: str, value: Any, *, least: int = 1, most: int = MOST_COUNT) -> None:
    """A whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name} must be a whole number, not {_kind(value)}.")
    if value < least:
        wanted = "must not be negative" if least == 0 else f"must be at least {least}"
        raise InputError(f"{name} {wanted}, not {value}.")
    if value > most:
        raise InputError(f"{name} must be at most {most:,}.")


def check_score(name: str, value: Any) -> None:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{name} must be a number from 0 to 1, not {_kind(value)}.")
    if math.isnan(value) or not 0 <= value <= 1:
        raise InputError(f"{name} must be from 0 to 1.")


def check_times(**times: Any) -> None:
    for name, value in times.items():
        if value is not None and not isinstance(value, datetime):
            raise InputError(f"{name} must be a datetime, not {_kind(value)}.")


def check_upload(upload: Upload) -> None:
    """Every field of one memory as it is given."""
    from ultron_core.steps.upload.records import Source

    check_text("content", upload.content)
    check_text("context", upload.context)
    check_text("resolution", upload.resolution)
    check_tags(upload.tags)
    check_agent("agent_id", upload.agent_id)
    check_name("idempotency_key", upload.idempotency_key, optional=True)
    check_id("project", upload.project, optional=True)
    check_score("confidence", upload.confidence)
    if upload.memory_type is not None:
        check_one_of("memory_type", upload.memory_type, MEMORY_TYPES)
    if not isinstance(upload.sources, Sequence) or not all(isinstance(s, Source) for s in upload.sources):
        raise InputError("sources cannot be given by hand: leave them out.")


def upload_of(memory: Any) -> Upload:
    """An Upload, or the mapping of one, checked."""
    from ultron_core.steps.upload.records import Upload

    if isinstance(memory, Upload):
        check_upload(memory)
        return memory
    if not isinstance(memory, Mapping):
        raise InputError(f"A memory must be a mapping with content, not {_kind(memory)}.")
    values = dict(memory)
    if unknown := sorted(InputError.clean(str(key))[:40] for key in values if key not in _UPLOAD_FIELDS):
        raise InputError(
            f"{', '.join(unknown[:5])} cannot be given with a memory: use {', '.join(_UPLOAD_FIELDS)}. "
            "Type, confidence and sources are Ultron's to decide."
        )
    values = {name: value for name, value in values.items() if value is not None}
    if "content" not in values:
        raise InputError("A memory needs content.")
    check_tags(values.get("tags"))
    values["tags"] = tuple(values.get("tags") or ())
    upload = Upload(**values)
    check_upload(upload)
    return upload


def _kind(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"
