"""What is erased, by any scope: the report of it, and the walk in chunks that each are complete.

deleted    the copies of logs in the drop folder, archived bytes, messages, windows, segments, drafts, outcomes,
           memories that nothing else supports, and all cached answers of the model, which name no session
reworded   memories that others gave too: they are put together anew of the other parts, their history is forgotten
listed     datasets that hold a row of it and adapters trained on one (deleted when asked for), and what is out of reach

A walk that was killed is gone on with by the same command. What was erased is not read again (`steps/erased/marks.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ultron_core.errors import InputError, NotFoundError, UnknownNameError
from ultron_core.sessions import check_names
from ultron_core.steps.given import MOST_NAME, check_text, check_times
from ultron_core.steps.ids import as_id
from ultron_core.steps.rows.embedded import Embedded, run_embedded
from ultron_core.steps.rows.locks import lock_memories
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.search.windows import recount_windows
from ultron_core.steps.upkeep.erase_message import erase_message
from ultron_core.steps.upkeep.erase_walk import KINDS, Found, Scope, expected_texts, find, take
from ultron_core.steps.upkeep.erasures import REST, WALK, Erased, advance, alone, begun_of, report_of
from ultron_core.steps.upkeep.outside import Outside, ask_others, find_outside, remove
from ultron_core.store.database import Connection
from ultron_core.store.registry import ERASURE
from ultron_core.store.tables import erasure

__all__ = ["Erased", "erase", "erase_session", "scope_of"]

#: files, texts and uploads of one transaction
_CHUNK = 200


def scope_of(runtime: Runtime, given: Mapping[str, Any]) -> Scope:
    """The one scope that is named. Raises InputError unless it is exactly one, and a name that can be looked up."""
    named = [kind for kind in KINDS if given.get(kind) is not None]
    if len(named) != 1:
        raise InputError(f"Name exactly one of {', '.join(KINDS)} to erase.")
    kind, value = named[0], given[named[0]]
    if kind == "before":
        check_times(before=value)
        if value.tzinfo is None:
            raise InputError("before has no time zone: give one, such as UTC.")
        return Scope(kind, value.isoformat(), before=value)
    if kind == "memory":
        memory = as_id(value)
        return Scope(kind, str(memory), memory=memory)
    check_text(kind, value, most=2 * MOST_NAME + 40)
    check_names(**{kind: value})
    return Scope(kind, value)


def erase_session(
    runtime: Runtime, named: str, *, dry_run: bool = False, with_datasets: bool = False
) -> Erased:
    """Erase the session that a partition key, an id, or `<agent>/<file>` names, with all generations of its file.

    `with_datasets` also deletes the folders of datasets and adapters that hold it. Raises NotFoundError and InputError.
    """
    return erase(runtime, Scope("session", named), dry_run=dry_run, with_datasets=with_datasets)


def erase(
    runtime: Runtime,
    scope: Scope,
    *,
    dry_run: bool = False,
    with_datasets: bool = False,
    with_file: bool = False,
) -> Erased:
    """Erase what a scope takes. `with_file` also deletes the files outside the drop folder that it was read from.

    Raises NotFoundError for a session or memory that is not there, UnknownNameError for such an agent or project,
    InputError for another account than this one, ConflictError while another erasure of the account runs.
    """
    if scope.kind == "message":
        return erase_message(
            runtime, scope, dry_run=dry_run, with_datasets=with_datasets, with_file=with_file
        )
    found, outside, counts, begun = runtime.database.run(partial(_look, runtime, scope))
    if begun is None:
        _check_known(runtime, scope, found)
    others = ask_others(runtime, outside.words, change=False)
    report = report_of(runtime, found, outside, {**counts, **others}, dry_run, with_datasets, with_file)
    if dry_run or not (counts or found.anything or begun):
        return report
    with alone(runtime):
        _walk(runtime, scope, with_datasets=with_datasets, with_file=with_file)
        recount_windows(runtime)
        runtime.database.run(partial(_finish, runtime, scope))
    return report


def _look(
    runtime: Runtime, scope: Scope, conn: Connection
) -> tuple[Found, Outside, dict[str, int], dict[str, Any] | None]:
    found, begun = find(runtime, conn, scope), begun_of(runtime, conn, scope)
    if begun is not None and begun["cursor"] == REST:
        found = Found(scope)
    counts = erasure.count_rows(conn, found.params(runtime))
    if not (found.anything or any(ERASURE[table] != "answer" for table in counts)):
        counts = {}  # answers of the model go with whatever is erased, and alone they are nobody's
    return found, find_outside(runtime, conn, found), counts, begun


def _check_known(runtime: Runtime, scope: Scope, found: Found) -> None:
    """A name that nothing has is told, with the near ones."""
    if scope.kind == "account" and scope.name != runtime.account_id:
        raise InputError("To erase everything, type the name of the account, which `ultron doctor` shows.")
    if found.anything:
        return
    if scope.kind == "session":
        raise NotFoundError(f"No session {scope.name!r}: `ultron sessions` lists them.")
    if scope.kind == "memory":
        raise NotFoundError(f"No memory {scope.name}, or nothing is left of what its agent gave.")
    if scope.kind in ("agent", "project"):
        query = {"agent": "agents", "project": "projects"}[scope.kind]
        rows = runtime.database.run(lambda conn: erasure.fetch(conn, query, runtime.account))
        names = [row["name"] for row in rows]
        if scope.name not in names:
            raise UnknownNameError(scope.kind, scope.name, names)


def _walk(runtime: Runtime, scope: Scope, *, with_datasets: bool, with_file: bool) -> None:
    """Chunk by chunk: first what lies outside the tables, then the rows by which it is found."""
    # a memory goes at once: what is left of it belongs to others, who are not to be found in its place
    limit = None if scope.kind == "memory" else _CHUNK
    while True:
        found, outside, texts = runtime.database.run(partial(_next, runtime, scope, limit))
        if not found.anything:
            return
        remove(runtime, outside, with_file=with_file, with_datasets=with_datasets)
        run_embedded(runtime, partial(_take, runtime, scope, limit, found), texts)
        if limit is None:
            return


def _next(
    runtime: Runtime, scope: Scope, limit: int | None, conn: Connection
) -> tuple[Found, Outside, list[str]]:
    begun = begun_of(runtime, conn, scope)
    over = begun is not None and begun["cursor"] == REST
    found = Found(scope) if over else find(runtime, conn, scope, limit)
    return found, find_outside(runtime, conn, found), expected_texts(runtime, conn, found)


def _take(
    runtime: Runtime,
    scope: Scope,
    limit: int | None,
    seen: Found,
    embedded: Embedded,
    conn: Connection,
) -> None:
    """The rows of what was removed outside, as they are now, with how far the walk is."""
    lock_memories(runtime, conn)
    found = find(runtime, conn, scope, limit)
    known = {(row["agent_id"], row["session_file"]) for row in seen.files}
    if any((row["agent_id"], row["session_file"]) not in known for row in found.files):
        return  # a file came in between: what belongs to it outside the tables is removed in the next round
    counts = take(runtime, embedded, conn, found)
    advance(runtime, conn, scope, counts, WALK, done=limit is None)


def _finish(runtime: Runtime, scope: Scope, conn: Connection) -> None:
    """What no session, text or memory leads to."""
    rest = erasure.delete_rest(conn, scope.params(runtime))
    if rest:
        erasure.run(conn, "unused_blobs", {})
    advance(runtime, conn, scope, {"rest": rest} if rest else {}, REST, done=True)
