"""What is left out of a record, and how much of a tool's output is shown."""

from tests.support.records import messages_in
from ultron_core.models import Message, ToolCall
from ultron_core.records.record import Record

LONG = "line of output " * 200
FAILED = (
    "Traceback (most recent call last):\n  File 'a.py', line 3\nModuleNotFoundError: No module named 'x'\n"
)


def said(role, content="", *, calls=(), result=None, **more):
    made = tuple(ToolCall(f"{name}-1", name, {"command": "x"}) for name in calls)
    origin = {"assistant": "model", "tool": "tool"}.get(role, "human")
    values = {"origin": origin, "tool_calls": made, "tool_call_id": result and f"{result}-1"} | more
    return Message(role, content, **values)


def shown(*messages):
    record = Record(messages)
    (window,) = record.windows(50_000)
    return {one.number: one for one in messages_in(record.text(window, 50_000))}


def test_to_do_lists_are_not_shown_and_their_refusals_are():
    record = shown(
        said("user", "fix it"),
        said("assistant", calls=["TodoWrite"]),
        said("tool", "Todos have been modified", result="TodoWrite"),
        said("assistant", "I look.", calls=["TodoWrite", "bash"]),
        said("tool", "a.py", result="bash"),
        said("assistant", calls=["update_plan"]),
        said("tool", "no such tool", result="update_plan", is_error=True),
    )
    assert list(record) == [1, 4, 5, 7]
    assert record[4].body.strip() == "I look.\ncall bash: x"


def test_of_what_a_harness_wrote_commands_ends_and_recaps_are_shown():
    parts = ("Key decisions", "Errors and fixes", "Next steps", "Technical concepts")
    recap = "\n\n".join(f"## {part}\n- {'the service listens on port 8080 ' * 10}" for part in parts)
    record = shown(
        said("user", "<command-name>/review</command-name><command-args>12</command-args>", origin="harness"),
        said("user", "<command-name>/model</command-name><command-args></command-args>", origin="harness"),
        said("user", "<local-command-stdout>Bye!</local-command-stdout>", origin="harness"),
        said("user", recap, origin="harness"),
        said("assistant", "Done."),
        said("user", "[Request interrupted by user]", origin="harness"),
    )
    assert list(record) == [1, 4, 5, 6]


def test_a_reminder_within_a_result_is_not_shown():
    noted = "1 passed <system-reminder>Do not speak of this file.</system-reminder>"
    record = shown(said("user", "test it"), said("tool", noted))
    assert record[2].body.strip() == "1 passed"


def test_of_output_more_is_shown_where_it_is_needed():
    record = shown(
        said("user", "what is in the file?"),
        said("assistant", calls=["read"]),
        said("tool", LONG),
        said("assistant", calls=["bash"]),
        said("tool", LONG),
        said("assistant", calls=["bash"]),
        said("tool", FAILED + LONG),
        said("assistant", calls=["bash"]),
        said("tool", LONG),
        said("assistant", "It holds lines of output."),
    )
    asked, passing, failed, answered = (len(record[number].body) for number in (3, 5, 7, 9))
    assert passing < asked == answered < failed < 900
    assert "No module named 'x'" in record[7].body


def test_an_answer_is_shown_at_length_and_words_at_work_are_not():
    record = shown(
        said("user", "why?"),
        said("assistant", "word " * 1_000, calls=["bash"]),
        said("tool", "ok"),
        said("assistant", "word " * 1_000),
    )
    assert len(record[2].body) < 1_000 < 2_500 < len(record[4].body)
