"""Text and values that every reader takes: clean UTF-8, no control markers of chat templates, no empty keys."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

__all__ = ["CONTROL_MARKER", "clean_text", "portable", "without_nulls"]

#: what a tokenizer takes for the end of a turn, wherever it stands, e.g. `<|im_end|>`, `<｜Assistant｜>`
CONTROL_MARKER = re.compile(r"<([|｜])([A-Za-z][\w▁ ]{1,40})([|｜])>")


def portable(value: Any, repairs: Counter[str]) -> Any:
    """The same JSON value with clean strings; what was replaced is counted."""
    if isinstance(value, str):
        return _clean(value, repairs)
    if isinstance(value, dict):
        return {_clean(str(key), repairs): portable(item, repairs) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [portable(item, repairs) for item in value]
    return value


def _clean(text: str, repairs: Counter[str]) -> str:
    if text.isascii() and "\x00" not in text and "<|" not in text:
        return text
    clean = clean_text(text)
    repairs["unclean_text"] += clean != text
    # "<|.im_end.|>" reads the same and is no token
    text, markers = CONTROL_MARKER.subn(_apart, clean)
    repairs["control_marker"] += markers
    return text


def clean_text(text: str) -> str:
    """Without lone surrogates and NUL, which pyarrow, ujson and Postgres refuse; most texts have neither."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", "\ufffd")


def _apart(match: re.Match[str]) -> str:
    left, name, right = match.groups()
    return f"<{left}.{name}.{right}>"


def without_nulls(value: Any, repairs: Counter[str]) -> Any:
    """Objects without keys that hold null: an absent key says the same, and padding cannot be told from a null."""
    if isinstance(value, dict):
        repairs["null_key"] += sum(item is None for item in value.values())
        return {key: without_nulls(item, repairs) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [without_nulls(item, repairs) for item in value]
    return value
