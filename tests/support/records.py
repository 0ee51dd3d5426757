"""What a record shows, read back from the text that a model is sent."""

import re
from typing import NamedTuple

_MARK = re.compile(r"\A(?:Record|Text) (\w{4})")


class Shown(NamedTuple):
    number: int
    who: str
    body: str


def mark_in(text):
    """The mark that the first line of a record names."""
    return _MARK.match(text).group(1)


def messages_in(text):
    """The messages of a record in order: only headers with its own mark begin one."""
    mark = mark_in(text)
    parts = re.split(rf"^\[{mark} ", text, flags=re.MULTILINE)[1:]
    found = [re.match(r"(\d+) ([a-z ]+)\] (.*)\n\Z", part, re.DOTALL) for part in parts]
    return [Shown(int(m.group(1)), m.group(2), m.group(3)) for m in found if m and m.group(1) != "0"]


def holding(text, words):
    """The number of the first message that holds these words, or None."""
    return next((shown.number for shown in messages_in(text) if words in shown.body), None)
