import pytest

from tests.core.labels.talks import calls, result, says, user
from ultron_core.models import Message, as_messages
from ultron_core.transcript.dialogue import read_dialogue


def dialogue(*messages):
    return read_dialogue(as_messages(messages))


def state_of(text, name="bash", **more):
    return dialogue(user("go"), calls(name, "c1", x=1), result("c1", text, **more)).steps[0].state


@pytest.mark.parametrize(
    "text",
    [
        "Traceback (most recent call last):\n  File 'a.py'\nKeyError: 'x'",
        "Error: payment amount does not add up",
        "exitcode: 1 (execution failed)",
        "bash: foo: command not found",
        '{"error": "no such user"}',
        '{"status": "failed", "code": 3}',
        "执行失败：连接超时",
        "3 failed, 10 passed in 1.2s",
    ],
)
def test_a_result_that_reports_a_failure_is_an_error(text):
    assert state_of(text) == "error"


@pytest.mark.parametrize("text", ["[]", "No results found", "Could not find [Foo]. Similar: []", "没有找到"])
def test_a_result_that_found_nothing_is_empty(text):
    assert state_of(text) == "empty"


@pytest.mark.parametrize(
    "text", ["", "5 passed in 0.2s", '{"title": "Error handling in Go"}', "the error_count column is 0"]
)
def test_a_result_that_only_speaks_of_errors_is_good(text):
    assert state_of(text) == "ok"


def test_a_file_that_is_shown_may_hold_any_words_but_the_flag_of_the_log_counts():
    source = "x = 1\n" * 60 + "raise SystemExit('exit code: 1')\nerror: none\n"
    assert state_of(source, name="Read") == "ok"
    assert state_of(source, name="Read", is_error=True) == "error"


def test_text_of_the_harness_and_recalled_memories_are_nobodys_behaviour():
    found = read_dialogue(
        [
            Message("system", "You are helpful.", origin="harness"),
            Message("user", "<reminder>always be nice</reminder>", origin="harness"),
            Message("user", "From memory: use uv", origin="recalled"),
            Message("user", "hello there"),
            Message("assistant", "hi", origin="model"),
        ]
    )
    assert [m.content for m in found.messages] == ["hello there", "hi"]
    assert found.request == "hello there"


def test_an_observation_written_as_a_user_row_is_no_turn_of_a_person():
    found = read_dialogue(
        [
            Message("user", "Fix the parser."),
            Message("assistant", "I open it.", origin="model"),
            Message("user", "No, wrong: unexpected token", origin="tool"),
            Message("user", "thanks"),
        ]
    )
    assert found.human == (0, 3)
    assert len(found.messages) == 4


def test_a_call_named_finish_is_the_answer():
    found = dialogue(user("Who?"), calls("finish", "c1", input="Miguel Arteta"))
    assert found.answer == "Miguel Arteta"
    assert found.finished_by_call


def test_the_key_of_a_call_ignores_its_id_and_the_order_of_arguments():
    def key(call_id, **arguments):
        return dialogue(user("go"), calls("f", call_id, **arguments), result(call_id, "done")).steps[0].key

    assert key("a", x=1, y=2) == key("b", y=2, x=1)
    assert key("a", x=1) != key("a", x=2)


def test_evidence_lines_are_the_physical_lines_of_the_messages():
    found = read_dialogue(
        [Message("user", "a", start_line=7, end_line=9), Message("assistant", "b", start_line=10)]
    )
    assert found.lines([1, 0, 0, -1]) == (7, 10)


def test_a_result_without_a_call_keeps_the_name_of_its_message():
    found = dialogue(
        user("go"), says("I run it."), {"role": "tool", "name": "linter", "content": "Error: bad"}, says("ok")
    )
    assert [(s.name, s.key, s.state) for s in found.steps] == [("linter", "", "error")]


def test_what_a_harness_prints_before_anybody_acted_is_no_step():
    banner = {"role": "tool", "name": "agent", "content": "Agent v1.2\nModels: small"}
    assert dialogue(banner, user("go"), says("Done.")).steps == ()


def test_output_in_the_role_of_the_user_is_a_step_and_no_turn_of_a_person():
    found = dialogue(
        user("List the files."),
        says("```bash\nls\n```"),
        user("exitcode: 0 (execution succeeded)\nCode output: a.txt"),
        says("```bash\ncat b.txt\n```"),
        user("exitcode: 1 (execution failed)\nCode output: cat: b.txt: No such file or directory"),
    )
    assert found.human == (0,)
    assert [(s.name, s.state) for s in found.steps] == [("command", "ok"), ("command", "error")]


def test_an_agent_that_opens_a_talk_asks_but_is_no_person():
    found = dialogue({"role": "user", "name": "Geometry_Expert", "content": "Solve it."}, says("42"))
    assert found.human == ()
    assert found.request == "Solve it."
