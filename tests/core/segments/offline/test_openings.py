"""Where people who work with a coding agent turn to another task, as the shipped coefficients weigh it."""

import json
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from ultron_core.models import Message, ToolCall
from ultron_core.segments import segment_messages
from ultron_core.segments.offline.openings import OPENING_NAMES, load_openings
from ultron_core.segments.offline.turns import turns_of
from ultron_core.transcript.files import CODE_FILE

GOLD = Path(__file__).parents[4] / "benchmarks" / "gold" / "openings.jsonl"
WORK = (
    ("user", "The list in list.py is not sorted by date, please fix that."),
    ("assistant", "Fixed: `list.py` sorts by date now, and `test_list.py` has a test for it."),
)


def starts(*said):
    messages = [
        Message(role, text, start_line=n, end_line=n, origin="human" if role == "user" else "model")
        for n, (role, text) in enumerate((*WORK, *said), 1)
    ]
    return [segment.start for segment in segment_messages(messages)]


def test_another_matter_of_the_same_project_opens_a_task():
    asked = "Great. Now write a README.md for the exporter: how it is installed, deployed and configured."
    call = ToolCall("1", "Write", {"file_path": "README.md", "content": "# Exporter"})
    written = Message("assistant", "`README.md` is written.", tool_calls=(call,), origin="model")
    said = [Message(role, text, origin="human" if role == "user" else "model") for role, text in WORK]
    talk = [*said, Message("user", asked, origin="human"), written]
    assert [segment.start for segment in segment_messages(talk)] == [0, 2]


@pytest.mark.parametrize(
    "remark",
    [
        "it is still not sorted, the newest one should come first",
        "why did you change test_list.py?",
        "Traceback (most recent call last):\n  File \"list.py\", line 3, in <module>\nKeyError: 'date'",
    ],
)
def test_what_speaks_of_the_work_before_it_goes_on(remark):
    assert starts(("user", remark), ("assistant", "Now `list.py` does it.")) == [0]


def test_a_turn_is_about_code_where_a_file_is_named_or_the_agent_ran_something():
    named, bare = (
        turns_of([Message("user", text, origin="human")])[0]
        for text in ("sort list.py", "book me a table at 8.30 p.m.")
    )
    assert named.codes and not bare.codes


@pytest.mark.parametrize(
    ("name", "arguments", "codes"),
    [
        ("Bash", {"command": "make"}, True),
        ("Read", {"file_path": "src/worker"}, True),
        ("update_profile", {"profile": "gold"}, False),
    ],
)
def test_a_turn_after_a_command_or_a_file_is_and_one_after_a_customers_call_is_not(name, arguments, codes):
    messages = [
        Message("user", "please change it", origin="human"),
        Message("assistant", "", tool_calls=(ToolCall("1", name, arguments),), origin="model"),
        Message("tool", "done", tool_call_id="1"),
        Message("user", "and now the other one", origin="human"),
    ]
    assert turns_of(messages)[-1].codes is codes


def test_a_file_stays_one_beside_chinese_and_a_product_is_none():
    assert all(CODE_FILE.search(text) for text in ("修改main.py文件", "README.MD", "src/util.go", ".env"))
    assert not any(
        CODE_FILE.search(text) for text in ("Node.js is nice", "process.env", "p.h.d", "console.log(x)")
    )


def test_the_coefficients_are_those_of_the_numbers_and_the_marks():
    raw = json.loads(files("ultron_core.segments.offline").joinpath("openings.json").read_text("utf-8"))
    assert tuple(raw["weights"]) == OPENING_NAMES
    assert raw["sha256"] == {GOLD.name: sha256(GOLD.read_bytes()).hexdigest()}
    rows = [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]
    assert raw["turns"] == len(rows) and all(tuple(row["numbers"]) == OPENING_NAMES for row in rows)
    model = load_openings()
    made = sum(model.odds(list(row["numbers"].values())) >= model.bound for row in rows)
    hits = sum(row["opens"] and model.odds(list(row["numbers"].values())) >= model.bound for row in rows)
    assert 2 * hits / (made + sum(row["opens"] for row in rows)) > 0.56  # .58 with the repository left out
