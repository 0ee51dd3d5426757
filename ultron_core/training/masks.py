"""Is exactly what the model said trained? Checked on the tokens as they go into training."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from ultron_core.training.records import Encoded

__all__ = ["mask_problems", "stretches", "without_masked_turns"]

#: characters of a piece of foreign text that is looked for: shorter ones are in any text
_PIECE = 24


def stretches(trained: Sequence[bool]) -> list[tuple[int, int]]:
    """(start, end) of each run of trained tokens."""
    edges = [0]
    for _, run in groupby(trained):
        edges.append(edges[-1] + sum(1 for _ in run))
    return [(start, end) for start, end in pairwise(edges) if trained[start]]


def without_masked_turns(messages: Sequence[Mapping[str, Any]], trained: Sequence[bool]) -> list[bool]:
    """The same, but nothing of turns with `loss: false` is trained: templates do not know the flag."""
    kept = list(trained)
    turns = [message for message in messages if message["role"] == "assistant"]
    found = stretches(trained)
    if len(found) == len(turns):  # else the check below refuses the row
        for turn, (start, end) in zip(turns, found, strict=True):
            if not turn.get("loss", True):
                kept[start:end] = [False] * (end - start)
    return kept


def mask_problems(
    messages: Sequence[Mapping[str, Any]], encoded: Encoded, decode: Callable[[Sequence[int]], str]
) -> Iterator[str]:
    """What is trained and must not be, and what is not trained and must be."""
    turns = [m for m in messages if m["role"] == "assistant" and m.get("loss", True)]
    others = [m for m in messages if m["role"] != "assistant" or not m.get("loss", True)]
    found = [_plain(decode(encoded.tokens[start:end])) for start, end in stretches(encoded.trained)]
    if len(found) != len(turns):
        yield f"{len(turns)} turns of the model, but {len(found)} trained stretches"
        return
    for number, (turn, text) in enumerate(zip(turns, found, strict=True), 1):
        own = [_plain(part) for part in _parts(turn)]
        for part in own:
            if part not in text:
                yield f"turn {number} of the model: {part[:40]!r} is not trained"
        own.append(_plain(turn.get("reasoning_content", "")))  # some templates leave it out of earlier turns
        for other in others:
            if foreign := _foreign(_plain(str(other["content"])), text, own):
                yield f"turn {number} of the model: text of the {other['role']} is trained: {foreign!r}"


def _foreign(other: str, text: str, own: Sequence[str]) -> str | None:
    """A piece of another's text that is trained although the model did not say it itself."""
    rest = text
    for part in sorted(own, key=len, reverse=True):
        if len(part) >= _PIECE:
            rest = rest.replace(part, "\n")  # no piece holds white space, so none spans the gap
    return next(
        (p for i in range(0, len(other), _PIECE) if len(p := other[i : i + _PIECE]) == _PIECE and p in rest),
        None,
    )


def _parts(turn: Mapping[str, Any]) -> Iterator[str]:
    """Text, names of calls, and what their arguments hold."""
    yield turn["content"]
    for call in turn.get("tool_calls", ()):
        yield call["function"]["name"]
        yield from _leaves(call["function"]["arguments"])


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, str):
        yield value


def _plain(text: str) -> str:
    """Without what templates may write differently: white space, and how JSON escapes."""
    escaped = (
        json.dumps(text, ensure_ascii=False)[1:-1].replace("\\n", "").replace("\\t", "").replace("\\r", "")
    )
    return "".join(escaped.replace("\\", "").split())
