"""Short frames with places for names, frames.json beside this: those the network is fitted on, others to measure it.

A place is `{f}` (full name), `{g}` (given), `{s}` (last), `{m}` (a letter), or no name: `{n}` (a number), `{p}` (a
program); `{g2}` is a second one of its kind. The two lists share no frame. Frames of `programs`, fitted too, are of
talk about software, English or Chinese: some fit programs alone, some people alone, and some either (`{e}`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

_PLACE = re.compile(r"\{([fgsmnp]\d?)\}")
#: between two places of one name, e.g. `. ` in `{m}. {s}`
_JOINTS = frozenset((" ", "-", ".", ". "))

Span = tuple[int, int]


@cache
def _stored() -> dict[str, Any]:
    stored: dict[str, Any] = json.loads(Path(__file__).with_name("frames.json").read_text("utf-8"))
    return stored


def fitted_frames() -> tuple[str, ...]:
    return tuple(_stored()["fitted"])


def program_frames(kind: str) -> tuple[str, ...]:
    """`program`, `either` or, of Chinese, `program_zh`, `either_zh`, `person_zh`."""
    return tuple(_stored()["programs"][kind])


def measured_frames() -> tuple[tuple[str, str], ...]:
    """(kind, frame)."""
    return tuple((kind, frame) for kind, frames in _stored()["measured"].items() for frame in frames)


def filled(frame: str, name: Callable[[str], str]) -> tuple[str, list[Span]]:
    """The text with `name(place)` in each place, and where the names are; places side by side are one name."""
    text, spans, done = "", list[Span](), 0
    for place in _PLACE.finditer(frame):
        between = frame[done : place.start()]
        text += between
        start = len(text)
        text += name(place[1])
        done = place.end()
        if place[1][0] in "np":
            continue
        if spans and spans[-1][1] == start - len(between) and between in _JOINTS:
            start = spans.pop()[0]
        spans.append((start, len(text)))
    return text + frame[done:], spans
