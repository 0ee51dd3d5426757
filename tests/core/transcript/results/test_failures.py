import pytest

from ultron_core.models import Message, as_messages
from ultron_core.transcript.actions import read_actions
from ultron_core.transcript.results.failures import clean_line, find_failure, read_result


def outcome(text, is_error=None, tool="bash", **more):
    return read_result(text, is_error=is_error, tool=tool, **more).outcome


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Exit code 1\n.gitignore ignores:\npriv/static", ".gitignore ignores:"),
        ("Error executing query: Unknown column 'id'", "Error executing query: Unknown column 'id'"),
        (
            "Cell In[1], line 6\n    x = 1\n    ^\nIndentationError: expected an indented block",
            "IndentationError: expected an indented block",
        ),
        ("/bin/bash: line 1: wget: command not found\n", "/bin/bash: line 1: wget: command not found"),
        ("exit: 1", "exit: 1"),
        ('{"success": false, "message": "no such flight"}', "no such flight"),
        ("<returncode>2</returncode>\nmake: nothing to do", "make: nothing to do"),
        ("错误：标记无效", "错误：标记无效"),
    ],
)
def test_an_error_is_read_with_its_first_telling_line(text, line):
    read = read_result(text, is_error=None, tool="bash")
    assert read.outcome == "error"
    assert read.failure is not None
    assert read.failure.line == line


def test_every_result_that_the_log_marks_has_a_line():
    marked = read_result("(no output)\n\nCommand exited with code 1", is_error=True, tool="bash")
    assert marked.outcome == "error"
    assert marked.failure is not None
    assert find_failure("<tool_use_error>Sibling tool call errored</tool_use_error>", is_error=True).line == (
        "Sibling tool call errored"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Command timed out after 2m 0.0s",
        "[repo] Test script run timed out\n>>>>> Tests Timed Out after 60 seconds",
        "Exit code: 124\nThe command timed out and has been killed",
        "连接超时",
    ],
)
def test_a_time_out_is_told_apart(text):
    assert outcome(text) == "timeout"


@pytest.mark.parametrize(
    ("text", "checks"),
    [
        ("3 failed, 10 passed in 1.2s", "mixed"),
        ("--- FAIL: TestA (0.00s)\nFAIL\tgithub.com/a/b\t0.186s\nFAIL", "failed"),
        ("Return Code: 1\n\n>>>>> Some Tests Failed", "failed"),
        ("Ran 3 tests in 0.1s\n\nFAILED (errors=1)", "failed"),
    ],
)
def test_a_check_that_failed_is_no_other_error(text, checks):
    read = read_result(text, is_error=None, tool="bash")
    assert (read.outcome, read.checks) == ("failed", checks)


@pytest.mark.parametrize("text", ["5 passed in 0.2s", "14 tests, 0 failures", "ok  \ta/b\t0.2s", "测试通过"])
def test_a_check_that_passed(text):
    assert outcome(text) == "passed"


def test_a_call_that_a_person_refused_is_neither_good_nor_failed():
    read = read_result("The user doesn't want to proceed with this tool use.", is_error=True, tool="Bash")
    assert (read.outcome, read.failure) == ("refused", None)


@pytest.mark.parametrize("text", ["No files found", "[]", "Could not find [Eric Ambler]. Similar: []"])
def test_a_search_that_found_nothing(text):
    assert outcome(text, tool="search") == "empty"


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("Exit 57 is a 30-minute sketch comedy series", "search"),
        ("x = 1\n" * 40 + "raise SystemExit('exit code: 1')\nerror: none\n", "Read"),
        ("1: return 3\n2: if error: return 1", "bash"),
        ("exitcode: 0 (execution succeeded)\nCode output: Error: the page has no table", "command"),
        ("0 failed, 0 errors", "bash"),
    ],
)
def test_text_that_only_speaks_of_errors_is_good(text, tool):
    assert outcome(text, tool=tool) in ("ok", "passed")


def test_a_log_of_errors_that_a_command_prints_is_no_failure_of_the_command():
    text = "INFO start\n" * 3 + "ValueError: bad token\n"
    assert outcome(text, shows=True) == "ok"
    assert outcome("cat: a.txt: No such file or directory", shows=True) == "error"


def test_a_hidden_exit_code_does_not_hide_a_compiler_error():
    text = "src/a.ts(212,28): error TS2304: Cannot find name 'x'."
    assert outcome(text, is_error=False) == "error"
    assert outcome("checked\n" * 80 + "ValueError: in a log", is_error=False) == "ok"


def test_the_end_of_a_long_output_counts():
    assert outcome("ok so far\n" * 9_000 + "Return Code: 1\n>>>>> Some Tests Failed") == "failed"


def test_a_line_in_a_sentence_has_no_markup_and_no_home():
    assert (
        clean_line("<tool_use_error>No file /home/alice/code/a/b.py</tool_use_error>") == "No file …/a/b.py"
    )


@pytest.mark.parametrize(
    ("output", "outcome", "line"),
    [
        (
            "<returncode>1</returncode>\n<output>\nls: x{i}: no such disk\n</output>",
            "error",
            "ls: x{i}: no such disk",
        ),
        ("<returncode>0</returncode>\n<output>\nerror: none of {i}\n</output>", "ok", None),
        ("The last command <command>x</command> timed out and has been killed.", "timeout", None),
        ("Observation: file {i}.py", "ok", None),
    ],
)
def test_output_in_the_role_of_the_user_is_read_by_its_regularity(output, outcome, line):
    messages = [Message("user", "Please repair the disk check.", origin="human")]
    for i in range(3):
        messages.append(Message("assistant", f"Next.\n\n```bash\nls x{i}\n```", origin="model"))
        messages.append(Message("user", output.replace("{i}", str(i)), origin="human"))
    actions = read_actions(as_messages(messages))
    assert [action.outcome for action in actions] == [outcome] * 3
    if line:
        assert [a.failure.line for a in actions] == [line.replace("{i}", str(i)) for i in range(3)]


def test_a_person_who_answers_code_is_not_a_machine():
    messages = [Message("user", "Write a sort.", origin="human")]
    for words in ("Nice, and now descending please.", "The name is wrong.", "Thanks, that works for me."):
        messages.append(Message("assistant", "Here.\n\n```python\nsorted(x)\n```", origin="model"))
        messages.append(Message("user", words, origin="human"))
    assert read_actions(as_messages(messages)) == []
