"""Redaction of JSON values: every string in it, keys included, with one numbering over the whole value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ultron_core.models import Finding
from ultron_core.redaction.patterns import draft_of
from ultron_core.redaction.secrets.assignments import credential_value
from ultron_core.redaction.secrets.names import Strength, strength
from ultron_core.redaction.spans import Draft, Numbering, Span

__all__ = ["redact_value", "redact_values"]

#: keys whose values tie records together; ids there stay, secrets and addresses there do not
STRUCTURAL = frozenset(
    [
        "id",
        "uuid",
        "ids",
        "tool_call_id",
        "tool_use_id",
        "call_id",
        "parent_id",
        "message_id",
        "session_id",
        "request_id",
        "thread_id",
        "segment_id",
        "memory_id",
        "run_id",
        "parent_uuid",
        "leaf_uuid",
        "parent_tool_use_id",
        "trace_id",
        "span_id",
        "response_id",
        "item_id",
        "task_id",
        "agent_id",
        "conversation_id",
        "prompt_id",
        "tool_use_ids",
        "source_tool_assistant_uuid",
        "logical_parent_uuid",
        "turn_id",
    ]
)
#: `{"name": "DB_PASSWORD", "value": "x"}` of Kubernetes, ECS, HAR files and headers
_NAME_KEYS = ("name", "key", "header", "variable", "field", "Name", "Key")
_VALUE_KEYS = frozenset(("value", "val", "content", "stringvalue", "plaintext"))
#: the value of a field such as `tool_call_id`, e.g. `call_01:2`
_ID_SHAPE = re.compile(r"[A-Za-z0-9_.:-]{1,200}")
#: where a capital begins a word, e.g. `sessionId`
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

#: redacts drafts; the second argument says in which of them to look for names
Settle = Callable[[Sequence[Draft], Sequence[bool]], None]


@dataclass(slots=True)
class _Leaf:
    draft: Draft
    names: bool = True
    structural: bool = False
    embedded: bool = False


@dataclass(slots=True)
class _Walk:
    leaves: list[_Leaf] = field(default_factory=list)

    def plan(self, value: Any, key: str = "") -> Any:
        """The value with each string replaced by the number of its leaf."""
        if isinstance(value, str):
            return self._leaf(value, key)
        if isinstance(value, dict):
            name = _sibling_name(value)
            return [
                (
                    self._leaf(str(k), "", is_key=True),
                    k,
                    self.plan(v, name if name and str(k).lower() in _VALUE_KEYS else str(k)),
                )
                for k, v in value.items()
            ]
        if isinstance(value, (list, tuple)):
            flags = ["", *(item if isinstance(item, str) and item.startswith("-") else "" for item in value)]
            return {"items": [self.plan(item, flag or key) for item, flag in zip(value, flags, strict=False)]}
        if type(value) is int and strength(key) == Strength.PASSWORD and len(str(value)) >= 4:
            return self._leaf(str(value), key)
        return (value,)

    def _leaf(self, text: str, key: str, is_key: bool = False) -> int:
        structural = _structural(key) and bool(_ID_SHAPE.fullmatch(text))
        leaf = _Leaf(draft_of(text), names=not structural and not is_key, structural=structural)
        if key and not structural and credential_value(key, text):
            leaf.draft.maybe_json = False
            leaf.draft.add([Span(0, len(text), "REDACTED_CREDENTIAL")])
        self.leaves.append(leaf)
        return len(self.leaves) - 1


def redact_value(value: Any, settle: Settle) -> tuple[Any, tuple[Finding, ...]]:
    """The same value with redacted strings and keys; numbers, booleans and null stay.

    Offsets of a finding are positions in the string that holds it; findings come in the order of the walk. A
    string that is JSON itself is redacted inside its literals only and stays JSON. Ids under structural keys
    stay unless they have the shape of a secret.
    """
    return redact_values([value], settle)[0]


def redact_values(values: Sequence[Any], settle: Settle) -> list[tuple[Any, tuple[Finding, ...]]]:
    """The same for many values, each numbered by itself; what is slow is done for all of them at once."""
    walks = [_Walk() for _ in values]
    plans = [walk.plan(_decoded(value)) for walk, value in zip(walks, values, strict=True)]
    leaves = [leaf for walk in walks for leaf in walk.leaves]
    settle([leaf.draft for leaf in leaves], [leaf.names for leaf in leaves])
    return [_finished(walk, plan) for walk, plan in zip(walks, plans, strict=True)]


def _finished(walk: _Walk, plan: Any) -> tuple[Any, tuple[Finding, ...]]:
    numbering = Numbering()
    for leaf in walk.leaves:
        numbering.reserve(leaf.draft.text)
    texts: list[str] = []
    findings: list[Finding] = []
    for leaf in walk.leaves:
        if leaf.structural:
            leaf.draft.spans = [
                s for s in leaf.draft.spans if s.entity not in ("UUID", "PHONE_NUMBER", "CREDIT_CARD")
            ]
        redaction = leaf.draft.finish(numbering)
        texts.append(redaction.text)
        findings += redaction.findings
    return _rebuild(plan, texts), tuple(findings)


def _sibling_name(value: dict[Any, Any]) -> str:
    """The secret's name that a neighbour of `value` gives, if one does."""
    for key in _NAME_KEYS:
        name = value.get(key)
        if isinstance(name, str) and len(name) <= 80 and strength(name):
            return name
    return ""


@lru_cache(maxsize=2_000)
def _structural(key: str) -> bool:
    return _CAMEL.sub("_", key).lower().replace("-", "_").replace("u_u_i_d", "uuid") in STRUCTURAL


def _decoded(value: Any) -> Any:
    """Escaped Chinese in a string that is JSON is unescaped, so that names in it can be found."""
    if isinstance(value, str):
        if "\\u" not in value or value.lstrip()[:1] not in ("{", "["):
            return value
        try:
            return json.dumps(json.loads(value), ensure_ascii=False)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, dict):
        return {key: _decoded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_decoded(item) for item in value]
    return value


def _rebuild(plan: Any, texts: Sequence[str]) -> Any:
    if isinstance(plan, int):
        return texts[plan]
    if isinstance(plan, list):
        # keys that are not strings (Python only) stay unchanged unless their text changed
        return {
            (texts[i] if isinstance(k, str) or texts[i] != str(k) else k): _rebuild(v, texts)
            for i, k, v in plan
        }
    if isinstance(plan, dict):
        return [_rebuild(item, texts) for item in plan["items"]]
    return plan[0]
