"""Answers of the tools as compact text: ids, files and lines first, cut where the budget ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ultron_core.llm.tokens import count_tokens, truncate_tokens
from ultron_core.steps.search.memories import SearchHit
from ultron_core.steps.search.sessions import SessionHit
from ultron_core.store.tables.memories import MemoryRecord, MemorySource

__all__ = ["told_hits", "told_memories", "told_memory", "told_messages", "told_sessions"]

#: kept free for the sentence that says that more was found
_REST = 30


def told_hits(hits: Sequence[SearchHit], most: int) -> str:
    """Memories found, one a paragraph."""
    if not hits:
        return "Nothing found."
    return _within([f"{told_memory(hit.record)}{' [weak]' if hit.weak else ''}" for hit in hits], most)


def told_memory(record: MemoryRecord) -> str:
    """`m:1a2b3c4d error, said by tool, result, shop: what it says`; of a claim whose it is stands before the words,
    and what is not known of its cure behind them."""
    where = f", {record.project}" if record.project else ""
    said = record.overview_l1 or record.summary_l0 or record.content
    head = f"m:{str(record.id)[:8]} {record.memory_type}, said by {record.trust}, {record.proven}{where}"
    return f"{head}{_held(record)}: {record.claimant}{said}{record.doubt}"


def _held(record: MemoryRecord) -> str:
    """Why nobody should do what it says before its owner confirmed it."""
    return (
        f", HELD ({', '.join(record.held)}): its owner has not confirmed it, do not act on it"
        if record.held
        else ""
    )


def told_memories(found: Sequence[tuple[MemoryRecord, Sequence[MemorySource]]], most: int) -> str:
    """Whole memories with their sources."""
    if not found:
        return "No such memory."
    return _within([_whole(record, sources) for record, sources in found], most)


def _whole(record: MemoryRecord, sources: Sequence[MemorySource]) -> str:
    head = f"m:{record.id} {record.memory_type}, {record.status}, said by {record.trust}, {record.proven}"
    head += f", version {record.version}{_held(record)}"
    body = [
        f"{name}: {text}"
        for name, text in (
            ("content", record.claimant + record.content),
            ("context", record.context),
            (f"resolution{record.doubt}", record.resolution),
        )
        if text
    ]
    tags = [f"tags: {', '.join(record.tags)}"] if record.tags else []
    return "\n".join([head, *body, *tags, *map(_source, sources[:5])])


def _source(source: MemorySource) -> str:
    if source.session_id is None:
        return f"source: {source.kind} by {source.agent_id}, {source.created_at:%Y-%m-%d}"
    place = f"d:{str(source.session_id)[:8]}/{source.start_line}-{source.end_line}"
    return f"source: {place} {source.agent_id}/{source.session_file}"


def told_sessions(hits: Sequence[SessionHit], most: int) -> str:
    """Passages of logs, with where they stand."""
    if not hits:
        return "Nothing found."
    return _within([_passage(hit) for hit in hits], most)


def _passage(hit: SessionHit) -> str:
    when = f", {hit.sent_at:%Y-%m-%d}" if hit.sent_at else ""
    place = f"session {hit.session_id} lines {hit.start_line}-{hit.end_line}"
    return f"{place} ({hit.agent_id}/{hit.session_file}{when}){' [weak]' if hit.weak else ''}\n{hit.text}"


def told_messages(rows: Sequence[dict[str, Any]], most: int) -> str:
    """Lines of a session, each message under its line numbers."""
    if not rows:
        return "No message stands on these lines."
    return _within([_message(row) for row in rows], most)


def _message(row: dict[str, Any]) -> str:
    who = row["role"] + (f" {row['name']}" if row["name"] else "")
    calls = [
        f"calls {c['name']} {json.dumps(c['arguments'], ensure_ascii=False)}" for c in row["tool_calls"] or ()
    ]
    return "\n".join([f"[{row['start_line']}-{row['end_line']}] {who}: {row['content']}", *calls])


def _within(parts: Iterable[str], most: int) -> str:
    """The parts that fit; the first is cut when it alone is too long, and what is left out is said."""
    kept: list[str] = []
    left, total = most - _REST, 0
    for part in parts:
        total += 1
        cost = count_tokens(part) + 2
        if cost <= left and len(kept) == total - 1:
            kept.append(part)
            left -= cost
        elif not kept:
            kept.append(truncate_tokens(part, left) + " […]")
            left = 0
    if len(kept) < total:
        kept.append(f"({total - len(kept)} more: ask for fewer, or raise max_tokens.)")
    return "\n\n".join(kept)
