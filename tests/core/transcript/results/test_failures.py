import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.models import Message, as_messages
from ultron_core.transcript.actions import read_actions
from ultron_core.transcript.results.failures import clean_line, read_result


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
        (
            "debug1: Next method\nme@web1: Permission denied (publickey).",
            "me@web1: Permission denied (publickey).",
        ),
        ("@@@@@@\nHost key verification failed.\n", "Host key verification failed."),
        (
            "debug1: Offering key\nConnection closed by 192.0.2.7 port 22",
            "Connection closed by 192.0.2.7 port 22",
        ),
        (
            # pnpm sets its code between thin spaces
            '\u2009ERR_PNPM_NO_SCRIPT\u2009 Missing script: build:dev\nCommand "build:dev" not found.',
            "ERR_PNPM_NO_SCRIPT\u2009 Missing script: build:dev",
        ),
        ("No app is linked. Have you run fly link?\nTry again.", "No app is linked. Have you run fly link?"),
        (
            "At line:1 char:9\n+ cd web && npm test\n+        ~~\nThe token '&&' is not a valid statement separator.\n"
            "    + FullyQualifiedErrorId : InvalidEndOfLine",
            "The token '&&' is not a valid statement separator.",
        ),
    ],
)
def test_an_error_is_read_with_its_first_telling_line(text, line):
    read = read_result(text, is_error=None, tool="bash")
    assert read.outcome == "error"
    assert read.failure is not None
    assert read.failure.line == line


def test_what_a_program_wrote_to_stderr_is_no_failure_of_powershell():
    assert (
        outcome(
            "git : Switched to branch\n    + FullyQualifiedErrorId : NativeCommandError\nAlready up to date"
        )
        == "ok"
    )


def test_every_result_that_the_log_marks_has_a_line():
    marked = read_result("(no output)\n\nCommand exited with code 1", is_error=True, tool="bash")
    assert marked.outcome == "error"
    assert marked.failure is not None


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


@pytest.mark.parametrize(
    "text",
    [
        "{} : -c: line 2: syntax error: unexpected end of file",
        "/bin/bash: -c: line 1: syntax error near unexpected token `('",
        "(eval):1: parse error near `)'",
        "go: cannot write multiple packages to non-directory specstory",
        "/root/ctf/*: cannot open `/root/ctf/*' (No such file or directory)",
        "  0  100\rWarning: Failed to create the file /system/a.txt: No such file or directory",
        "I don't understand your input. \nIf you want to execute code, please use <execute> CODE </execute>.",
    ],
)
def test_what_a_shell_or_a_program_did_not_take_is_an_error(text):
    assert outcome(text) == "error"


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("(no output)\n\nCommand exited with code 1", "grep -rnE 'steer|queue' src"),
        ("Exit code 1", "cd app && git log --oneline | grep fix | head -3"),
        ("exit: 1", 'ls .cache 2>/dev/null; echo "exit: $?"'),
        ("Nothing happens.", "open drawer 3"),
    ],
)
def test_a_search_without_a_find_and_a_question_for_the_exit_code_have_not_failed(text, call):
    assert read_result(text, is_error=None, tool="bash", call=[call]).outcome == "empty"


def test_an_exit_code_of_another_command_is_an_error():
    assert read_result("Exit code 1", is_error=True, tool="bash", call=["grep x a; make"]).outcome == "error"
    assert read_result("Exit code 2\ngrep: bad regex", is_error=True, call=["grep '(' a"]).outcome == "error"


@pytest.mark.parametrize(
    ("text", "call", "line"),
    [
        (
            "Test Script: conda run -n sympy bin/test sympy/matrices;\n"
            "sympy/matrices/a.py[1] E\nRecursionError: maximum recursion depth exceeded",
            "bin/test",
            "RecursionError: maximum recursion depth exceeded",
        ),
        (
            "0 issues.\nFAIL\nFAIL\tgithub.com/a/b/pkg 0.121s",
            "go test ./...",
            "FAIL\tgithub.com/a/b/pkg 0.121s",
        ),
        ("PASS\nFAIL\tgithub.com/a/b/cli\t0.1s", "go test ./...", "FAIL\tgithub.com/a/b/cli\t0.1s"),
        (
            "```\ncd tmp && cat > denied_main.go <<'EOF'\n```\n(eval):cd:1: no such file or directory: tmp",
            "cd tmp && cat > denied_main.go <<'EOF'\npackage main\nEOF",
            "(eval):cd:1: no such file or directory: tmp",
        ),
        (
            "Cell In[1]\n----> 4 assert solve([1, 0, 2], 3) == True\n\nAssertionError: ",
            "solve([1, 0, 2], 3)",
            "assert solve([1, 0, 2], 3) == True",
        ),
        (
            "error: undefined function get/2\n** (CompileError) cannot compile module A (errors have been logged)",
            "mix test",
            "error: undefined function get/2",
        ),
    ],
)
def test_the_line_that_tells_is_neither_the_command_nor_a_count(text, call, line):
    read = read_result(text, is_error=True, tool="bash", call=[call])
    assert read.failure is not None
    assert read.failure.line == line


@pytest.mark.parametrize(
    "text",
    [
        "There is no code from the last 1 message for me to execute. Group chat manager should let others speak.",
        "Aider v0.35.1-dev\nModels: gpt-4 with diff edit format",
        "Only 4 reflections allowed, stopping.",
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
    ],
)
def test_a_harness_that_ran_nothing_gives_no_result(text):
    messages = [
        Message("assistant", "I look.", origin="model"),
        Message("tool", text, origin="tool"),
    ]
    assert read_actions(messages) == []
    assert len(read_actions([messages[0], Message("tool", "Only 4 files found", origin="tool")])) == 1


def test_what_an_editors_shell_prints_after_each_command_is_no_failure():
    assert read_result("built in 3s\nzsh:1: command not found: dump_zsh_state", is_error=None).outcome == "ok"
    failed = read_result("error: no such target\nzsh:1: command not found: dump_zsh_state", is_error=None)
    assert failed.failure.line == "error: no such target"


def test_a_powershell_tells_why_behind_where():
    output = (
        "At line:1 char:8\n+ cd web && npm test\n+        ~~\n"
        "The token '&&' is not a valid statement separator in this version.\n"
        "    + CategoryInfo          : ParserError: (:) []\n    + FullyQualifiedErrorId : InvalidEndOfLine"
    )
    assert read_result(output, is_error=None).failure.line.startswith("The token '&&'")


@pytest.mark.parametrize(
    "command",
    ["git -C vendor/api show main:src/app.ts", "git --no-pager diff", "nl -ba src/app.ts", "cat src/app.ts"],
)
def test_code_that_a_command_shows_is_no_failure(command):
    shown = (
        "import { log } from './log';\n  onError: (error: unknown) => void;\n  throw new Error('not found');"
    )
    (action,) = read_actions(talk(("user", "look at the client"), (bash(command), shown)))
    assert action.failure is None
