"""Shells at work in a text that a person pasted: which commands were run, and what each printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ultron_core.models import Message
from ultron_core.transcript.actions import Action
from ultron_core.transcript.people import is_human
from ultron_core.transcript.results.failures import read_result

__all__ = ["SHELL_PROMPT", "pasted_actions"]

#: a prompt with the command behind it: "(venv) root@web1:/srv/app# pip install x", "PS C:\\Users\\me> docker pull a/b",
#: "C:\\shop>mvn install", "➜  shop git:(main) ✗ npm test", "me@mac shop % make", "$ npm run dev"
SHELL_PROMPT = re.compile(
    r"(?:^|(?<=[。？！?!]))[ \t]{0,8}(?:\([\w.-]{1,40}\) )?(?:"
    r"[\w.-]{1,60}@[\w.-]{1,80}(?::[^\n$#%]{0,160}(?:\n[\w./~-]{1,60})?| [^\s%$#]{1,80} ?)[$#%] |"
    r"PS [A-Za-z]:[^\n>]{0,200}> ?|[A-Za-z]:\\[^\n>]{0,200}>[ ]?|"
    r"➜ {1,2}\S{1,60}(?: git:\([^)\n]{1,80}\))?(?: [✗✓])? |>> |[$❯] )(?P<command>[A-Za-z.~/][^\n]{1,600})$",
    re.MULTILINE,
)
#: without one of these no prompt stands in a text, e.g. `me@web1:`, `$ npm`, `>> make`
_MARKS = re.compile(
    r"@[\w.-]{1,80}[:\s]|PS [A-Z]:|[A-Z]:\\[^\n>]{0,200}>|^[^\S\n]*[$❯➜]|^[^\S\n]*>> ", re.MULTILINE
)
#: characters of a turn that are read
_MAX_PASTED = 12_000


def pasted_actions(messages: Sequence[Message]) -> list[Action]:
    """The commands that people show in their turns, each with what it printed, as calls made at that turn."""
    return [
        action
        for position, message in enumerate(messages)
        if is_human(message) and "\n" in message.content.strip() and _MARKS.search(message.content)
        for action in _shown(message.content[:_MAX_PASTED], position)
    ]


def _shown(text: str, position: int) -> Iterator[Action]:
    prompts = list(SHELL_PROMPT.finditer(text))
    ends = [*(prompt.start() for prompt in prompts[1:]), len(text)]
    for prompt, end in zip(prompts, ends, strict=False):
        command, output = prompt["command"].strip(), text[prompt.end() : end].strip("\n")
        read = read_result(output, is_error=None, tool="terminal", call=(command,))
        yield Action(
            position,
            position,
            "terminal",
            {"command": command},
            command,
            output,
            read.outcome,
            read.checks,
            read.failure,
        )
