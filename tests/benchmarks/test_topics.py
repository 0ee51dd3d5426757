"""Topics of real sessions: titles of requests, never tool output or markup."""

import importlib
import re
from collections.abc import Iterator

from ultron_core.models import Message
from ultron_core.segments import segment_messages
from ultron_core.sessions import parse_session

#: of each set, so that the suite stays quick; with ULTRON_BENCH_DATA set these are the benchmarks' sessions
_EACH = 6
_MARKUP = re.compile(r"</?[a-z][\w-]*[ />]|^#|\*\*|```|^\[\d|^(?:Observation|exitcode|Traceback)\b")


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


def test_no_topic_is_tool_output_or_markup():
    wrong = []
    for name, topic, messages in _topics():
        head = topic.removesuffix("…")
        said = any(head.lower() in m.content.lower() for m in messages if m.origin in ("human", "model"))
        printed = any(head.lower() in m.content.lower() for m in messages if m.origin in ("tool", "harness"))
        if _MARKUP.search(topic) or (printed and not said):
            wrong.append((name, topic))
    assert not wrong
