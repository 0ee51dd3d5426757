"""A short human title for a segment: the first thing a person asks in it, cleaned. Nothing is redacted here."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ultron_core.models import Message
from ultron_core.transcript.pairs import is_tool_result
from ultron_core.transcript.speech import GREETING, is_only_courtesy

__all__ = ["MAX_TOPIC", "clean_topic", "one_line", "title_of"]

#: characters of a topic
MAX_TOPIC = 80
#: characters of a request in which its title is looked for
_SEEN = 2000
#: a code block, closed or cut off, e.g. ```` ```python⏎x = 1⏎``` ````
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
#: e.g. `<system-reminder>`, `</p>`
_TAG = re.compile(r"<[a-zA-Z/!][^<>]{0,200}>")
#: what a line begins with before its words, e.g. `## Goal`, `- first`, `2. second`, `a **bold**`
_MARKUP = re.compile(r"^[\s#>*\-=_`|•·~\d.)]*(?=\S)|[*_`#]{2,}")
#: e.g. `a⏎⏎b`
_SPACE = re.compile(r"\s+")
#: e.g. `First. Second`, `第一。第二`
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])")
#: how a request opens before it says anything, e.g. `Could you please help me fix`, `I want to book`, `请帮我`
_POLITE = re.compile(
    r"^(?:(?:can|could|would|will) you (?:please |kindly )?(?:help me (?:to )?|tell me )?|please (?:help me )?"
    r"|i(?:'d| would) like (?:you )?to |i (?:want|need) (?:you )?to |help me (?:to )?"
    r"|(?:请问|请帮我|请你|请|麻烦你?|你能|你可以|能不能|可以|帮我)+)",
    re.IGNORECASE,
)


def title_of(messages: Sequence[Message]) -> str:
    """At most 80 characters in the language of the segment; the tool or role when no person says anything."""
    for person_only in (True, False):
        for message in messages:
            if is_tool_result(message) or message.role != "user":
                continue
            if person_only and message.origin != "human":
                continue
            title = clean_topic(message.content)
            if title and not is_only_courtesy(title):
                return title
    return next((t for m in messages if (t := clean_topic(m.content))), "") or _first_call(messages)


def _first_call(messages: Sequence[Message]) -> str:
    name = next((c.name for m in messages for c in m.tool_calls if c.name), "")
    return clean_topic(name) or "untitled"


def clean_topic(text: str) -> str:
    """The first sentence that says something, without markup, greeting and polite opening."""
    plain = _CODE.sub(" ", text[:_SEEN])
    plain = _TAG.sub(" ", plain)
    for line in plain.splitlines():
        line = _SPACE.sub(" ", _MARKUP.sub("", line)).strip()
        for sentence in _SENTENCE_END.split(line):
            bare = _POLITE.sub("", GREETING.sub("", sentence).strip()).strip(" ,，.。!！:：;；-—\"'“”")
            if len(re.findall(r"\w", bare)) >= 3:
                return _fit(bare[:1].upper() + bare[1:])
    return ""


def one_line(title: str) -> str:
    """A model's title as it came, on one line and at most 80 characters."""
    return _fit(_SPACE.sub(" ", title).strip())


def _fit(title: str) -> str:
    if len(title) <= MAX_TOPIC:
        return title
    cut = title[: MAX_TOPIC - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > MAX_TOPIC // 2 else cut).rstrip(" ,，;；:：") + "…"
