"""Edits of a JSON file of somebody else: comments, trailing commas, order and layout of the rest stay as they are.

Only the text of one member or item is put in or cut out; everything else is copied byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ultron_core.errors import InputError

__all__ = ["Node", "put_item", "put_member", "read", "remove_items", "remove_member"]

#: white space and comments, e.g. `  // my own server`
_GAP = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
#: e.g. `"a \\" b"`
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
#: e.g. `-1.5e3`, `true`
_PLAIN = re.compile(r"[-+.\w]+")


@dataclass(slots=True)
class Node:
    """A value with its place: characters `start` to `end`. `parts` are (start of the whole part, key, value)."""

    start: int
    end: int
    value: Any
    kind: str = "plain"
    parts: list[tuple[int, str, Node]] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """The member of that name; the last one counts, as in JSON."""
        return next((node for _, name, node in reversed(self.parts) if name == key), None)


def read(text: str) -> Node:
    """The tree of a file; an empty one is an empty object. Raises InputError with the line that is wrong."""
    if not text.strip():
        return Node(0, 0, {}, "missing")
    node, at = _value(text, _skip(text, 0))
    if _skip(text, at) != len(text):
        raise _wrong(text, at)
    return node


def put_member(text: str, path: list[str], key: str, value: Any) -> str:
    """The file with `key: value` in the object at `path`, which is made where it is missing."""
    node = read(text)
    if node.kind == "missing":
        return put_member("{}\n", path, key, value)
    for depth, name in enumerate(path):
        below = _object(text, node).get(name)
        if below is None:
            inner: Any = {key: value}
            for missing in reversed(path[depth + 1 :]):
                inner = {missing: inner}
            return _insert(text, node, f"{json.dumps(name)}: ", inner)
        node = below
    old = _object(text, node).get(key)
    if old is None:
        return _insert(text, node, f"{json.dumps(key)}: ", value)
    if old.value == value:
        return text
    return text[: old.start] + _dumped(text, old.start, value) + text[old.end :]


def put_item(text: str, path: list[str], item: Any, is_ours: Callable[[Any], bool]) -> str:
    """The file with `item` in the list at `path`, in place of one that `is_ours`."""
    node: Node | None = read(text)
    for name in path:
        node = None if node is None else node.get(name)
    if node is None:
        return put_member(text, path[:-1], path[-1], [item])
    if node.kind != "array":
        raise InputError(f"{'.'.join(path)} is no list: put it right first.")
    ours = [below for _, _, below in node.parts if is_ours(below.value)]
    if not ours:
        return _insert(text, node, "", item)
    if ours[0].value == item:
        return text
    return text[: ours[0].start] + _dumped(text, ours[0].start, item) + text[ours[0].end :]


def remove_member(text: str, path: list[str], key: str) -> str:
    """The file without that member, and without objects that hold nothing after it."""
    return _remove(text, path, lambda name, _: name == key)


def remove_items(text: str, path: list[str], is_ours: Callable[[Any], bool]) -> str:
    """The file without the items that are ours, and without lists and objects that hold nothing after it."""
    return _remove(text, path, lambda _, value: is_ours(value))


def _remove(text: str, path: list[str], is_ours: Callable[[str, Any], bool]) -> str:
    node: Node | None = read(text)
    for name in path:
        node = None if node is None else node.get(name)
    if node is None:
        return text
    index = next((i for i, (_, name, below) in enumerate(node.parts) if is_ours(name, below.value)), None)
    if index is None:
        return text
    if len(node.parts) == 1 and path:
        return _remove(text, path[:-1], lambda name, _: name == path[-1])
    rest = _cut(text, node, index)
    return _remove(rest, path, is_ours)


def _cut(text: str, node: Node, index: int) -> str:
    start, end = node.parts[index][0], node.parts[index][2].end
    after = _skip(text, end)
    if text[after : after + 1] == ",":
        end = after + 1
        # the line that it stood on goes as well
        blank = re.compile(r"[ \t]*\n?").match(text, end)
        line = text.rfind("\n", 0, start) + 1
        if blank and blank[0].endswith("\n") and not text[line:start].strip():
            return text[:line] + text[blank.end() :]
    elif index:
        # the last one: the comma before it goes
        comma = text.index(",", node.parts[index - 1][2].end)
        return text[:comma] + text[comma + 1 : start].rstrip() + text[end:]
    return text[:start].rstrip() + text[end:] if not index else text[:start] + text[end:]


def _insert(text: str, node: Node, head: str, value: Any) -> str:
    """A new last part of an object or list, indented like its neighbours."""
    if not node.parts:
        outer = _indent(text, node.start)
        inner = outer + "  "
        body = head + _indented(value, inner)
        return f"{text[: node.start + 1]}\n{inner}{body}\n{outer}{text[node.end - 1 :]}"
    start, _, last = node.parts[-1]
    inner = _indent(text, start)
    after = _skip(text, last.end)
    has_comma = text[after : after + 1] == ","
    at = after + 1 if has_comma else last.end
    comma = "" if has_comma else ","
    on_own_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    gap = f"\n{inner}" if on_own_line else " "
    return text[:at] + comma + gap + head + _indented(value, inner) + text[at:]


def _dumped(text: str, at: int, value: Any) -> str:
    return _indented(value, _indent(text, at))


def _indented(value: Any, indent: str) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + indent)


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _object(text: str, node: Node) -> Node:
    if node.kind != "object":
        raise _wrong(text, node.start, "an object is expected here")
    return node


def _skip(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> tuple[Node, int]:
    opening = text[at : at + 1]
    if opening in ("{", "["):
        return _container(text, at, opening)
    found = _STRING.match(text, at) if opening == '"' else _PLAIN.match(text, at)
    if found is None:
        raise _wrong(text, at)
    try:
        return Node(at, found.end(), json.loads(found[0], strict=False)), found.end()
    except ValueError as error:
        raise _wrong(text, at) from error


def _container(text: str, at: int, opening: str) -> tuple[Node, int]:
    is_object, closing = opening == "{", "}" if opening == "{" else "]"
    node = Node(at, at, {} if is_object else [], "object" if is_object else "array")
    at = _skip(text, at + 1)
    while text[at : at + 1] != closing:
        start, key = at, ""
        if is_object:
            name, at = _value(text, at)
            colon = _skip(text, at)
            if not isinstance(name.value, str) or text[colon : colon + 1] != ":":
                raise _wrong(text, at)
            key, at = name.value, _skip(text, colon + 1)
        below, at = _value(text, at)
        node.parts.append((start, key, below))
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _wrong(text, at)
    node.end = at + 1
    values = [below.value for _, _, below in node.parts]
    node.value = dict(zip([key for _, key, _ in node.parts], values, strict=True)) if is_object else values
    return node, at + 1


def _wrong(text: str, at: int, what: str = "this is no JSON") -> InputError:
    line = text.count("\n", 0, at) + 1
    return InputError(f"line {line}: {what}; put it right first.")
