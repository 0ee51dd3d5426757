"""Messages as actions: what was called, with which arguments, and what came back. The only reading of results.

Three ways of calling tools are understood: tool calls with ids, tool results that follow a message without
ids, and text protocols, where the assistant writes a fenced block and the next message is its output.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from ultron_core.models import Message, ToolCall
from ultron_core.transcript.harness import NOTHING_RUN, joined
from ultron_core.transcript.pairs import is_tool_result
from ultron_core.transcript.protocol import FENCE, fenced, speaks_text_protocol
from ultron_core.transcript.results.checks import Checks
from ultron_core.transcript.results.failures import Outcome, read_result
from ultron_core.transcript.results.telling import Failure

__all__ = ["GIT", "Action", "argument_strings", "call_text", "message_texts", "read_actions", "without_code"]

#: "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE"
_SEARCH_REPLACE = re.compile(
    r"(?<!<)<{5,20} SEARCH\n((?:(?!\n?={5}|<{5} SEARCH).)*+)\n?={5,}+\n"
    r"((?:(?!\n?>{5}|<{5} SEARCH).)*+)\n?>{5,} REPLACE",
    re.DOTALL,
)
#: a code block that changes a file, e.g. `<<<<<<< SEARCH`, `@@ -1,3 +1,4 @@`, `diff --git a/x b/x`
_PATCH = re.compile(r"^(?:<{5,} SEARCH|@@ |diff --git|\+\+\+ )", re.MULTILINE)
#: output that begins by naming what was run: "Test Script: pytest -rA tests/test_a.py;", "$ ls -l"
_NAMED_COMMAND = re.compile(
    r"^(?:Test Script|Command|Running(?: command)?|Executing|\$)[: ]+(\S.{2,300}?);?\s*$", re.MULTILINE
)
#: a block that is a command: "pip install x", "$ ./run.sh --all"
_COMMAND_LINE = re.compile(r"(?:\$ )?[a-z.~/][\w./+-]{0,400}(?:\s+\S.*[^.\n:]|)(?:\n|$)")
#: git with flags of its own before the verb, e.g. `git -C ../api show`, `git --no-pager log`
GIT = r"git (?:(?:-[Cc] \S+|--no-pager) )*"
#: commands that print what somebody wrote: "cat notes.txt", "git log -3", "git -C ../api show main:src/app.ts"
_SHOWING = re.compile(
    rf"^\s*(?:cat|nl|bat|head|tail|less|grep|rg|sed -n|Get-Content|{GIT}(?:log|diff|show|grep))\b"
)
#: a harness that says that it ran nothing, in transcript/harness.py, e.g. `There is no code from the last 1 message
#: for me to execute`
_NOTHING_RUN = joined(NOTHING_RUN, flags=0)


@dataclass(frozen=True, slots=True)
class Action:
    """One call and its result.

    `call` and `result` are positions in the messages; `text` is the arguments as one text; `outcome` is what the
    result came to and `checks` what test summaries in it say; `failure` is set when it is an error, a failed
    check or a time-out.
    """

    call: int
    result: int
    tool: str
    arguments: Any
    text: str
    output: str
    outcome: Outcome
    checks: Checks
    failure: Failure | None


#: texts that are kept in mind: several rules in turn read the messages of one segment, which may be a thousand
_RECENT = 2048


def message_texts(message: Message) -> Iterator[str]:
    """The texts in which a quote may appear: content, then every string in the arguments of its calls."""
    yield message.content
    for call in message.tool_calls:
        yield from argument_strings(call.arguments)


def argument_strings(arguments: Any) -> Iterator[str]:
    """Every string in decoded arguments, depth first."""
    if isinstance(arguments, str):
        yield arguments
    elif isinstance(arguments, dict):
        for value in arguments.values():
            yield from argument_strings(value)
    elif isinstance(arguments, list | tuple):
        for value in arguments:
            yield from argument_strings(value)


@lru_cache(maxsize=_RECENT)
def without_code(text: str) -> str:
    """The prose of a message: fenced blocks left out, and one that is still open."""
    return FENCE.sub("\n", text)


def read_actions(messages: Sequence[Message]) -> list[Action]:
    """All actions in the order of their results."""
    calls: dict[tuple[str, str], tuple[int, ToolCall]] = {}
    waiting: dict[str, list[tuple[int, ToolCall]]] = {}
    last: dict[str, int] = {}
    text_protocol = speaks_text_protocol(messages)
    actions = []
    for position, message in enumerate(messages):
        thread = message.thread
        if message.role == "assistant":
            last[thread] = position
            waiting[thread] = [(position, call) for call in message.tool_calls]
            calls.update({(thread, call.id): (position, call) for call in message.tool_calls if call.id})
        elif message.role == "user" and message.name and FENCE.search(message.content):
            # an agent that opened the talk with code to run: the log gives it the role of the asker
            last[thread] = position
        elif _NOTHING_RUN.match(message.content):
            if is_tool_result(message) and (thread, message.tool_call_id or "") not in calls:
                del waiting.get(thread, [])[:1]  # the next result is of the next call
        elif is_tool_result(message):
            found = calls.get((thread, message.tool_call_id or ""))
            if found is None and waiting.get(thread):
                found = waiting[thread].pop(0)
            if found is not None:
                actions.append(_called(found, position, message))
            elif thread in last:
                # one output a message: what a harness prints after it (its cost, its next start) is not a result
                actions.append(_fenced(messages, last.pop(thread), position))
        elif message.role == "user" and thread in last and text_protocol and position == last[thread] + 1:
            actions.append(_fenced(messages, last[thread], position))
    return actions


def _called(found: tuple[int, ToolCall], position: int, result: Message) -> Action:
    origin, call = found
    return _action(origin, position, call.name, call.arguments, call_text(call), result)


def call_text(call: ToolCall) -> str:
    """The arguments of a call as one text."""
    return (
        call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments, ensure_ascii=False)
    )


def _fenced(messages: Sequence[Message], origin: int, position: int) -> Action:
    """Output that follows a message without calls: of its patch, of a command it names, or of its last block."""
    result = messages[position]
    named = named_command(result.content)
    blocks = fenced(messages[origin].content)
    patches = [code for _, code in blocks if _PATCH.search(code)]
    tool, code = "", ""
    arguments: Any = None
    if patches:
        tool, code = "patch", "\n".join(patches)
        arguments = _patch_arguments(code, result.content)
    elif named:
        tool, code = "command", named
    elif blocks:
        code = blocks[-1][1].strip()
        if blocks[-1][0].lower() in ("python", "py", "javascript", "js"):
            tool = "code"
        else:
            tool = "command" if _COMMAND_LINE.match(code) else ""
    action = _action(origin, position, tool, arguments or code, code, result)
    if action.failure is not None and action.failure.kind == "PatchMismatch":
        return replace(action, tool="patch")
    return action


def named_command(output: str) -> str:
    """The command that the output itself names, or nothing."""
    named = _NAMED_COMMAND.search(output)
    return named.group(1).strip() if named else ""


def _action(origin: int, position: int, tool: str, arguments: Any, text: str, result: Message) -> Action:
    # a log that marks its errors says itself what became of `cat`; without marks the text must
    shows = result.is_error is None and bool(_SHOWING.match(next(argument_strings(arguments), "")))
    call = tuple(argument_strings(arguments))
    read = read_result(result.content, is_error=result.is_error, tool=tool, call=call, shows=shows)
    return Action(
        origin, position, tool, arguments, text, result.content, read.outcome, read.checks, read.failure
    )


def _patch_arguments(patch: str, output: str) -> dict[str, str]:
    found = _SEARCH_REPLACE.findall(patch)
    applied = re.search(r"^Applied edit to (\S+)", output, re.MULTILINE)
    return {
        "old_string": "\n".join(old for old, _ in found),
        "new_string": "\n".join(new for _, new in found),
        "file_path": applied.group(1) if applied else "",
    }
