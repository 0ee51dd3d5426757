"""Writes the dataset that the trainer tests read: every shape that a row can have. Runs where Ultron is installed.

python -m tests.trainers.sample FOLDER
"""

import json
import sys
from pathlib import Path

from tests.support.rows import MANIFEST, assistant, build, candidate, result, user
from ultron_core.models import Message, ToolCall
from ultron_core.sft import BuildConfig, verify_dataset, write_dataset
from ultron_core.sft.build import Built


def filler(word):
    """Text that no other row has: near-duplicates would go."""
    return " ".join(f"{word}{n}" for n in range(30))


def candidates():
    """One row for each shape; the words in capitals say in the tests where a text came from."""
    read, run = ToolCall("a", "read", {"path": "ARGUMENT_A"}), ToolCall("b", "run", {"deep": True, "n": 3})
    yield candidate(1, user(f"USER_1 {filler('u')}"), assistant(f"ANSWER_1 {filler('a')}"), session="s1")
    yield candidate(
        2,
        Message("system", "SYSTEM_2", origin="harness"),
        user(f"USER_2 {filler('b')}"),
        assistant("BESIDE_2", read),
        result("a", f"RESULT_2 {filler('c')}"),
        assistant(f"ANSWER_2 {filler('d')}"),
        session="s2",
    )
    yield candidate(
        3,
        user(f"USER_3 {filler('e')}"),
        assistant("", read),
        result("a", f"RESULT_3 {filler('f')}"),
        assistant(f"BESIDE_3 {filler('g')}", ToolCall("c", "finish", {"answer": "ARGUMENT_B"})),
        session="s3",
    )
    yield candidate(
        4,
        user(f"USER_4 {filler('h')}"),
        assistant("BESIDE_4", read, run),
        result("a", f"RESULT_4 {filler('i')}"),
        result("b", "RESULT_5"),
        assistant(f"ANSWER_4 {filler('j')}"),
        session="s4",
    )
    marked = ToolCall("d", "write", {"text": 'say <tool_call>{"name": "x"}</tool_call> and </think>'})
    yield candidate(
        5,
        user(f"USER_6 what is <tool_call>? {filler('k')}"),
        assistant(f"BESIDE_6 <tool_call> opens a call {filler('l')}", marked),
        result("d", "RESULT_6"),
        assistant(f"ANSWER_6 {filler('m')}"),
        session="s5",
    )
    # a call that was never answered: its turn is masked
    yield candidate(
        6,
        user(f"USER_7 {filler('n')}"),
        assistant("BESIDE_7", ToolCall("e", "run", {"n": 7})),
        user(f"USER_8 {filler('o')}"),
        assistant(f"ANSWER_7 {filler('p')}"),
        session="s6",
    )


def main(folder):
    built = build(list(candidates()))
    # all in one split: the trainers read `train`
    rows = [row.__class__(**{**_fields(row), "split": "train"}) for row in built.rows]
    write_dataset(folder / "good", Built(rows, (), len(rows)), MANIFEST)
    assert len(rows) == 6 and verify_dataset(folder / "good") == []
    expected = [{"messages": list(row.messages), "tools": list(row.tools)} for row in rows]
    (folder / "expected.json").write_text(json.dumps(expected))
    for kind in ("preference", "outcome"):
        made = build(list(runs()), BuildConfig(kind=kind, validation_share=0))
        write_dataset(folder / kind, made, {**MANIFEST, "kind": kind})
        assert len(made.rows) and verify_dataset(folder / kind) == []


def runs():
    """Two tasks, each with a run that worked and one that failed, with calls and results in both."""
    for number in range(4):
        call = ToolCall("a", "look_up", {"q": f"ARGUMENT_{number}"})
        yield candidate(
            10 + number,
            user(f"USER_{number // 2} {filler('q') if number < 2 else filler('r')}"),
            assistant("", call),
            result("a", f"RESULT_{number}"),
            assistant(f"{'FAILED' if number % 2 else 'WORKED'}_{number} {filler(f'w{number}')}"),
            succeeded=not number % 2,
            session=f"run{number}",
        )


def _fields(row):
    return {name: getattr(row, name) for name in row.__dataclass_fields__}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
