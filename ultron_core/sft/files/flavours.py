"""The same rows for readers that need another shape; pure functions from row to JSON object."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ultron_core.sft.kinds.records import Outcome, Pair
from ultron_core.sft.records import Row, canonical_json

__all__ = [
    "FLAVOURS",
    "FLAVOURS_OF",
    "LLAMAFACTORY_DATASET_INFO",
    "Flavour",
    "to_llamafactory",
    "to_openai",
    "to_swift",
    "to_twinkle",
]

Flavour = Callable[[Row], dict[str, Any]]
#: what LLaMA-Factory's function formatter looks for in the text of a turn with calls, e.g. `<tool_call>`, `</think>`
_MARKER = re.compile(r"<(?=/?(?:tool_call|think)>)")


def to_openai(row: Row) -> dict[str, Any]:
    """OpenAI fine-tuning: arguments as strings, no reasoning field, weight 0 on masked turns."""
    result: dict[str, Any] = {"messages": [_openai_message(m) for m in row.messages]}
    if row.tools:
        result["tools"] = list(row.tools)
        result["parallel_tool_calls"] = row.max_parallel_calls > 1
    return result


def _openai_message(message: Mapping[str, Any]) -> dict[str, Any]:
    plain = {k: v for k, v in message.items() if k not in {"reasoning_content", "tool_calls", "loss"}}
    if message["role"] == "tool":
        plain.pop("name", None)
    if "tool_calls" in message:
        plain["tool_calls"] = _string_calls(message)
    if message.get("loss") is False:
        plain["weight"] = 0
    return plain


def _string_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            **call,
            "function": {
                "name": call["function"]["name"],
                "arguments": canonical_json(call["function"]["arguments"]),
            },
        }
        for call in message["tool_calls"]
    ]


def to_swift(row: Row) -> dict[str, Any]:
    """ms-swift: tools as a JSON string, reasoning inline (it drops unknown message keys); it reads `loss` itself."""
    result: dict[str, Any] = {"messages": [_inline_message(m) for m in row.messages]}
    if row.tools:
        result["tools"] = canonical_json(list(row.tools))
    return result


def to_twinkle(row: Row) -> dict[str, Any]:
    """Twinkle for the Qwen family: OpenAI's shape, `tools` always a string, reasoning inline for it to take out."""
    return {"tools": "", **to_swift(row)}


def _inline_message(message: Mapping[str, Any]) -> dict[str, Any]:
    plain = {k: v for k, v in message.items() if k not in {"reasoning_content", "tool_calls"}}
    if message.get("reasoning_content"):
        plain["content"] = _think(message) + message["content"]
    if "tool_calls" in message:
        plain["tool_calls"] = _string_calls(message)
    return plain


def to_llamafactory(row: Row) -> dict[str, Any]:
    """LLaMA-Factory sharegpt: text, reasoning and calls of a turn in one function_call value.

    Its `openai` formatting throws away assistant text beside calls; this shape keeps all of it.
    """
    conversations: list[dict[str, str]] = []
    system = ""
    for message in row.messages:
        role = message["role"]
        if role == "system":
            system = message["content"]
        elif role == "user":
            _hear(conversations, "human", message["content"])
        elif role == "tool":
            _hear(conversations, "observation", message["content"])
        else:
            conversations.append(_sharegpt_assistant(message))
    tools = [tool["function"] for tool in row.tools]
    return {"conversations": conversations, "system": system, "tools": canonical_json(tools) if tools else ""}


def _hear(conversations: list[dict[str, str]], speaker: str, content: str) -> None:
    """Everything between two turns of the model is one turn: a row without strict alternation is dropped.

    Results of parallel calls become one observation, which also takes what a person says right after it.
    """
    if conversations and conversations[-1]["from"] in ("human", "observation"):
        conversations[-1]["value"] += f"\n\n{content}"
    else:
        conversations.append({"from": speaker, "value": content})


def _sharegpt_assistant(message: Mapping[str, Any]) -> dict[str, str]:
    calls = [
        {"name": c["function"]["name"], "arguments": c["function"]["arguments"]}
        for c in message.get("tool_calls", ())
    ]
    if not calls:
        return {"from": "gpt", "value": _think(message) + message["content"]}
    text = _think(message, _unmarked) + _unmarked(message["content"])
    # in JSON a marker can be written otherwise and comes back as it was; in plain text it cannot
    listed = _MARKER.sub(r"\\u003c", canonical_json(calls))
    if not text:
        return {"from": "function_call", "value": listed}
    return {"from": "function_call", "value": f"{text}\n<tool_call>{listed}</tool_call>"}


def _unmarked(text: str) -> str:
    """Text that the function formatter cannot take for calls or thoughts: "< tool_call>"."""
    return _MARKER.sub("< ", text)


def _think(message: Mapping[str, Any], clean: Callable[[str], str] = str) -> str:
    reasoning = message.get("reasoning_content")
    return f"<think>\n{clean(reasoning)}\n</think>\n\n" if reasoning else ""


FLAVOURS: dict[str, Flavour] = {
    "llamafactory": to_llamafactory,
    "openai": to_openai,
    "swift": to_swift,
    "twinkle": to_twinkle,
}


def swift_pair(pair: Pair) -> dict[str, Any]:
    """ms-swift's RLHF shape: the chosen talk, and in the same shape the rejected one."""
    result: dict[str, Any] = {
        "messages": [_inline_message(m) for m in (*pair.prompt, *pair.chosen)],
        "rejected_messages": [_inline_message(m) for m in (*pair.prompt, *pair.rejected)],
    }
    if pair.tools:
        result["tools"] = canonical_json(list(pair.tools))
    return result


def swift_outcome(outcome: Outcome) -> dict[str, Any]:
    """ms-swift's KTO shape: the talk and its label."""
    result: dict[str, Any] = {
        "messages": [_inline_message(m) for m in (*outcome.prompt, *outcome.completion)],
        "label": outcome.label,
    }
    if outcome.tools:
        result["tools"] = canonical_json(list(outcome.tools))
    return result


#: by kind of dataset; what TRL reads of pairs and outcomes is the Parquet itself
FLAVOURS_OF: dict[str, dict[str, Callable[[Any], dict[str, Any]]]] = {
    "sft": FLAVOURS,
    "preference": {"swift": swift_pair},
    "outcome": {"swift": swift_outcome},
}

LLAMAFACTORY_DATASET_INFO: dict[str, dict[str, Any]] = {
    f"ultron_{split}": {
        "file_name": f"{split}.jsonl",
        "formatting": "sharegpt",
        "columns": {"messages": "conversations", "system": "system", "tools": "tools"},
        "tags": {
            "role_tag": "from",
            "content_tag": "value",
            "user_tag": "human",
            "assistant_tag": "gpt",
            "observation_tag": "observation",
            "function_tag": "function_call",
        },
    }
    for split in ("train", "validation")
}
