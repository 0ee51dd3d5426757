"""A label reads the turn that opens the next task, also where that task came after the log had been quiet."""

import json

from tests.support.memories import rows
from tests.support.worlds import write_log
from ultron_core.client import Ultron


def did(name, command):
    called = {
        "id": name,
        "type": "function",
        "function": {"name": "bash", "arguments": json.dumps({"command": command})},
    }
    return [
        {"role": "assistant", "content": "I change it.", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": name, "content": "done"},
    ]


WORK = [
    {"role": "user", "content": "Sort the list of invoices by date in list.py."},
    *did("c1", "sed -i s/id/date/ list.py"),
    {
        "role": "assistant",
        "content": "The list is sorted by date now, the newest first; I changed `list.py`.",
    },
]
NEXT = [
    {
        "role": "user",
        "content": "Perfect, that works great! Now write a deployment guide for the kubernetes cluster in deploy.md.",
    },
    *did("c2", "cp guide.md deploy.md"),
    {"role": "assistant", "content": "`deploy.md` explains how the cluster is set up."},
]
MORE = [
    {"role": "user", "content": "Add a section on rollbacks to deploy.md."},
    {"role": "assistant", "content": "`deploy.md` has a section on rollbacks."},
]
NOTES = "SELECT quality_metrics #>> '{metrics,goal_reached,note}' AS note FROM task_segments ORDER BY segment_index"


def decided_by(ultron):
    return [row["note"] for row in rows(ultron, NOTES)]


def test_a_task_that_comes_after_a_pause_is_read_like_one_that_was_there(settings, tmp_path):
    log = tmp_path / "a.jsonl"
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(log, WORK)], "me", process=True)
        assert decided_by(ultron) == ["only the agent says so"]
        ultron.ingest([write_log(log, WORK, NEXT)], "me", process=True)
        accepted, _ = decided_by(ultron)
        assert accepted != "only the agent says so"
        ultron.ingest([write_log(log, WORK)], "me", process=True)  # the log was cut back
        assert decided_by(ultron) == ["only the agent says so"]


def test_a_task_that_grows_behind_it_changes_nothing(settings, tmp_path):
    log = tmp_path / "a.jsonl"
    with Ultron(settings) as ultron:
        ultron.ingest([write_log(log, WORK, NEXT)], "me", process=True)
        (before, _) = rows(ultron, "SELECT id, updated_at FROM task_segments ORDER BY segment_index")
        ultron.ingest([write_log(log, WORK, NEXT, MORE)], "me", process=True)
        assert before in rows(ultron, "SELECT id, updated_at FROM task_segments")
