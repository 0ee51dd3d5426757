"""Topics of real sessions: titles of requests, never tool output or markup."""

import importlib
import re
from collections.abc import Iterator

from ultron_core.models import Message
from ultron_core.segments import segment_messages
from ultron_core.sessions import parse_session

#: of each set, so that the suite stays quick; with ULTRON_BENCH_DATA set these are the benchmarks' sessions
_EACH = 6
_MARKUP = re.compile(r"</?[a-z][\w-]*[ />]|^#|\*\*|```|^\[\d|^[\"']{3}|^(?:Observation|exitcode|Traceback)\b")
#: what a slash command put before a turn, to the task or the end: "## Context\n\n- Current git status: ..."
_GATHERED = re.compile(r"\A#{1,3} Context\s+- [\w ]+: [\s\S]*?(?=^#{1,3} Your task$|\Z)", re.MULTILINE)


def _topics() -> Iterator[tuple[str, str, list[Message]]]:
    places = importlib.import_module("inputs.places")
    for found in places.session_sets(places.data_folder()):
        for name, raw in list(found.files())[:_EACH]:
            messages = parse_session(raw).messages
            threads: dict[str, list[Message]] = {}
            for message in messages:
                threads.setdefault(message.thread, []).append(message)
            for segment in segment_messages(messages):
                yield name, segment.topic, threads[segment.thread][segment.start : segment.end]


def _wrong(topic: str, messages: list[Message]) -> bool:
    """Markup, or words that a program printed and neither a person nor the agent said; what a slash command gathered
    stands in a row of the person and is printed all the same."""
    head = topic.removesuffix("…").lower()
    said = any(
        head in _GATHERED.sub("", m.content).lower() for m in messages if m.origin in ("human", "model")
    )
    printed = any(
        head
        in (m.content if m.origin in ("tool", "harness") else "".join(_GATHERED.findall(m.content))).lower()
        for m in messages
    )
    return bool(_MARKUP.search(topic)) or (printed and not said)


def test_no_topic_is_tool_output_or_markup():
    assert [(name, topic) for name, topic, messages in _topics() if _wrong(topic, messages)] == []


def test_what_a_slash_command_gathered_is_seen_as_tool_output():
    gathered = Message(
        "user",
        "## Context\n\n- Current git status: On branch ai\n\nChanges not staged for commit:\n\n## Your task\n\nReview.",
    )
    assert _wrong("Changes not staged for commit", [gathered])
    assert not _wrong("Review", [gathered])
    assert _wrong('"""The last week of term', [Message("user", 'def f():\n    """The last week of term"""')])
