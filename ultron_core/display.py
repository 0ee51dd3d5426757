"""Stored text on its way to a screen: nothing in it steers a terminal, reorders a line, is markup or is a link.

`plain` for terminals, log lines and what agents read; `cell` for Markdown; `svg_text` and `plot_text` for charts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = [
    "cell",
    "harmless_json",
    "markdown_table",
    "one_line",
    "plain",
    "plot_text",
    "shown_bytes",
    "svg_text",
]

#: sequences that terminals obey (ECMA-48), whole: colours, cursor moves, titles, links, a
#: reset; e.g. `␛[31m`, `␛]8;;http://a␛\`, `␛c`
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,8}[0-~]"
)
#: what moves the cursor or ends a line in some reader: "10%\r20%"
_BREAKS = re.compile("[\r\v\f\x85\u2028\u2029]")
#: other controls, marks that turn the direction of text (CVE-2021-42574), invisible characters, tags: "a\u202eb"
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
#: half a character, which no stream can write; from file names that are not UTF-8: "\udcff"
_HALF = re.compile("[\ud800-\udfff]")
#: what Markdown reads as mere words, anything else stands as code; e.g. `skipped: bad_json (0.5)`
_WORDS = re.compile(r"(?:[^\W_]|(?<=[^\W_])_(?=[^\W_])|:(?= )|\.(?![^\W\d_])|[ ,;()%?'\"-])*")
#: in code, where the fence must be longer: "a ``` b"
_FENCES = re.compile(r"`+")
#: characters of a label: a longer one leaves no room for the chart
_LABEL = 60


def plain(text: str) -> str:
    """The words alone: sequences and controls go, line feeds and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    text = _SEQUENCE.sub("", text.replace("\r\n", "\n"))
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", _UNSEEN.sub("", _BREAKS.sub(" ", text)))


def harmless_json(document: str) -> str:
    """The same JSON; what a terminal or an editor would obey is escaped."""
    for steering in (_UNSEEN, _BREAKS, _HALF):
        document = steering.sub(lambda found: json.dumps(found[0])[1:-1], document)
    return document


def one_line(text: str) -> str:
    """Plain, with one space for any white space."""
    return " ".join(plain(text).split())


def cell(value: Any) -> str:
    """A value in a cell of a Markdown table: never markup, never a link (renderers link a bare `https://` as well)."""
    text = "" if value is None else one_line(str(value))
    if not text or _WORDS.fullmatch(text):
        return text or "-"
    fence = "`" * (1 + max((len(run) for run in _FENCES.findall(text)), default=0))
    # a table is cut at bars before code is read, and renderers disagree on what `\\|` is
    inside = text.replace("|", "¦")
    return f"{fence} {inside} {fence}" if "`" in text else f"{fence}{inside}{fence}"


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A Markdown table of values that come from logs, models or callers."""
    lines = [columns, ["---"] * len(columns), *([cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def svg_text(text: str) -> str:
    """Words inside an SVG or HTML element."""
    return escape(one_line(text))


def plot_text(text: str) -> str:
    """Words in a chart of matplotlib, which sets what stands between dollar signs as a formula."""
    return one_line(text)[:_LABEL].replace("$", r"\$")


def shown_bytes(count: float) -> str:
    """`640 bytes`, `1.2 kB`, `35 MB` or `2.1 GB`."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1_000:
            return f"{count:.0f} {unit}" if unit == "bytes" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1_000
    return f"{count:.1f} GB"
