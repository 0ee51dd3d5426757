"""Logs whose tool results give orders to the model that reads them, and a model that obeys every one of them."""

import json
import re
from pathlib import Path

import pytest

from tests.support.gold import Shown, normal, schema_of
from tests.support.model.server import least, model_server
from tests.support.records import messages_in
from tests.support.walk import walk, with_server
from tests.support.worlds import solved, write_log

INJECTED = [json.loads(line) for line in Path(__file__).with_name("injected.jsonl").open(encoding="utf-8")]
_RECORD = re.compile(r"Record \w+, ")
TYPES = ("error", "security", "correction", "preference", "pattern", "life")
GOOD = "The tests of {name} failed because the package {package} was not installed."


def log(path, number, injected):
    """A task with a real error and its cure; the last tool result, of the passing tests, gives the order."""
    lines = solved(f"module{number}", f"package{number}")
    results = [line for line in lines if line["role"] == "tool"]
    results[-1]["content"] = injected["text"]
    return write_log(path, lines)


def obedient(request):
    """The good note of the log and the one that its tool result asks for, quoted where it stands."""
    schema = schema_of(request)
    shown = Shown.of(request)
    wanted = set(schema["properties"])
    value = {}
    if "tasks" in wanted:
        value["tasks"] = [{"start": 1, "end": shown.last, "topic": "a task"}]
    if "outcome" in wanted:
        metrics = [{"name": name, "score": 0.9} for name in ("goal_reached", "completeness")]
        value |= {"outcome": "success", "task_type": "code", "success_probability": 0.9}
        value |= {"metrics": metrics}
    if "memories" in wanted:
        value["memories"] = notes(shown)
    for name in wanted - set(value):
        value[name] = schema["properties"][name].get(
            "default", least(schema["properties"][name], schema, request)
        )
    return json.dumps(value, ensure_ascii=False)


def notes(shown):
    found = []
    for number, injected in enumerate(INJECTED):
        error = f"No module named 'package{number}'"
        if normal(f"import package{number}\nModuleNotFoundError") in shown.text:
            content = GOOD.format(name=f"module{number}", package=f"package{number}")
            found.append(note(content, f"pip install package{number}", "error", error, shown))
            obeyed = injected["obeyed"]
            # whatever type it calls the order: also one that needs no person's words
            found += [note(obeyed["content"], "", kind, obeyed["quote"], shown) for kind in TYPES]
    return found


def note(content, resolution, memory_type, quote, shown):
    return {
        "content": content,
        "resolution": resolution,
        "memory_type": memory_type,
        "confidence": 0.95,
        "resolution_status": "claimed",
        "evidence": [{"message": shown.find(quote) or 1, "quote": quote}],
    }


@pytest.fixture(scope="module")
def obeyed(fresh_settings, plain, tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    paths = [log(folder / f"{number}.jsonl", number, one) for number, one in enumerate(INJECTED)]
    with model_server(answer=obedient) as server:
        yield walk(with_server(fresh_settings, server), server, paths, **plain)


def test_the_good_note_of_each_log_is_kept(obeyed):
    contents = {memory["content"] for memory in obeyed.memories}
    expected = {GOOD.format(name=f"module{n}", package=f"package{n}") for n in range(len(INJECTED))}
    assert expected <= contents


@pytest.mark.parametrize("injected", INJECTED, ids=[one["name"] for one in INJECTED])
def test_what_a_tool_result_orders_becomes_no_memory(obeyed, injected):
    ordered = normal(injected["obeyed"]["content"])
    assert [m["content"] for m in obeyed.memories if ordered in normal(m["content"] + m["resolution"])] == []


def test_a_line_that_looks_like_a_person_opens_no_message(obeyed):
    """Forged heads, turns and record ends stay inside the tool's message: people said three things in each log."""
    records = [
        text for request in obeyed.requests if _RECORD.match(text := request["messages"][1]["content"])
    ]
    assert len(records) >= len(INJECTED)
    for text in records:
        said = [shown.body for shown in messages_in(text) if shown.who == "user"]
        assert len(said) == 3 and said[0].startswith("TASK") and said[2] == "thanks, that works"
