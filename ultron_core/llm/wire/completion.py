"""What an endpoint answered: the text of a completion in any of the forms that servers give it, and its usage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ultron_core.errors import ModelAnswerError
from ultron_core.llm.answering.json_values import is_too_deep

__all__ = ["Completion", "NotACompletion", "read_completion"]

#: a tool call in a message in a choice; what it says is text and counts for itself
_MOST_NESTED = 64
#: more tokens than any model takes or gives: a server that reports them counts wrongly
_MOST_TOKENS = 10_000_000
#: parts of a list that are not the answer
_NOT_SAID = ("reasoning", "thinking", "redacted_thinking")


class NotACompletion(Exception):
    """The endpoint answered, but not with a completion."""


@dataclass(frozen=True, slots=True)
class Completion:
    """`input_tokens` and `output_tokens` are None when the endpoint reports none that can be true."""

    text: str
    cut_off: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None


def read_completion(body: bytes) -> Completion:
    """Raises NotACompletion, and ModelAnswerError when the model or a filter refused."""
    try:
        text = body.decode("utf-8", "replace")
        if is_too_deep(text, _MOST_NESTED):
            raise NotACompletion
        value = json.loads(text)
    except ValueError:
        raise NotACompletion from None
    choice, message = _message(value)
    reason = choice.get("finish_reason")
    if refusal := message.get("refusal"):
        raise ModelAnswerError(f"the model refused: {str(refusal)[:200]}")
    if reason == "content_filter":
        raise ModelAnswerError("the endpoint's content filter stopped the answer")
    usage = _mapping(value.get("usage"))
    return Completion(
        # half a surrogate pair can be neither stored nor sent back: `\ud800` in what a broken tokenizer said
        _said(message).encode("utf-8", "replace").decode("utf-8"),
        cut_off=reason in ("length", "max_tokens"),
        input_tokens=_tokens(usage.get("prompt_tokens")),
        output_tokens=_tokens(usage.get("completion_tokens")),
    )


def _message(value: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    choices = _mapping(value).get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = _mapping(choice).get("message")
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise NotACompletion
    return choice, message


def _said(message: Mapping[str, Any]) -> str:
    """The text; where there is none, the arguments of the first tool call."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(_part(part) for part in content)
    if isinstance(content, str) and content.strip():
        return content
    calls = message.get("tool_calls")
    call = _mapping(calls[0]) if isinstance(calls, list) and calls else {}
    arguments = _mapping(call.get("function") or message.get("function_call")).get("arguments")
    if isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    return arguments if isinstance(arguments, str) else ""


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    given = _mapping(part)
    text = given.get("text")
    return text if isinstance(text, str) and given.get("type") not in _NOT_SAID else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _tokens(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= _MOST_TOKENS:
        return None
    return value
