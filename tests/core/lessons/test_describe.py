"""Which file a call changed, and what a failing call was asked."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.describe import describe_context, edited_path, path_of
from ultron_core.transcript.actions import read_actions


def changed(call, output="ok"):
    messages = talk(("user", "Please fix it."), (call, output))
    (action,) = read_actions(messages)
    return edited_path(action)


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("sed -i 's/a/b/' src/app.py", "src/app.py"),
        ("cat > src/new.py <<'EOF'\nprint(1)\nEOF", "src/new.py"),
        ("echo done >> notes.md", "notes.md"),
        ("grep -n total src/app.py", ""),
        ("python run.py > /tmp/out.log", ""),
    ],
)
def test_files_that_a_shell_writes(command, path):
    assert changed(bash(command)) == path


def test_an_editor_inside_a_shell_answers_with_its_file():
    assert changed(bash("edit 5:5\nx = 2\nend_of_edit"), "[File: /repo/src/app.py (6 lines total)]") == (
        "/repo/src/app.py"
    )


def test_a_failed_edit_changes_nothing():
    edit = ("Edit", {"file_path": "/repo/a.py", "old_string": "a", "new_string": "b"})
    assert changed(edit) == "/repo/a.py"
    assert changed(edit, "Error: string to replace not found in file") == ""


def test_a_path_in_the_one_argument_of_an_exported_call():
    assert path_of({"input": "`./main.go`"}) == "./main.go"
    assert path_of({"input": "```text\nThe file /repo/a.go has been updated.\n```"}) == "/repo/a.go"
    assert path_of({"code": "open('/repo/a.txt')  # file /repo/b.txt"}) == ""


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({"path": "Makefile"}, "Makefile"),
        ({"File_Name": "notes"}, "notes"),
        ({"target_file": "src/app.ts"}, "src/app.ts"),
        ({"AbsolutePath": "/repo/src"}, "/repo/src"),
        ({"instructions": "tidy", "relativeWorkspacePath": "a b.md"}, "a b.md"),
        ({"projectFile": r"C:\repo\app.csproj"}, r"C:\repo\app.csproj"),
        ({"target_file": "Dockerfile", "code_edit": "FROM python"}, "Dockerfile"),
        ({"pathInProject": "src/a.py", "text": "x"}, "src/a.py"),
        ({"path_to_edit": "src/a.py", "n": "1"}, "src/a.py"),
        ({"output_path": "/Users/My Docs/plots", "n": "1"}, "/Users/My Docs/plots"),
    ],
)
def test_arguments_that_hold_a_path(arguments, path):
    assert path_of(arguments) == path


@pytest.mark.parametrize(
    "arguments",
    [
        {"profile": "https://example.org/ann", "name": "Ann"},
        {"career_path": "data scientist", "years": "3"},
        {"file_type": "image/png", "size": "3"},
        {"path_id": "a/b", "n": "1"},
        {"learning_path": "AI / ML", "level": "2"},
    ],
)
def test_arguments_that_only_sound_like_a_path(arguments):
    assert path_of(arguments) == ""


def test_a_short_question_is_told_with_the_failure():
    query = ("execute_sql", {"query": "SELECT email FROM owners"})
    messages = talk(("user", "Who owns it?"), (query, "Error: unknown column"))
    (action,) = read_actions(messages)
    assert (
        describe_context(messages, action, "en") == "Calling `execute_sql` with `SELECT email FROM owners`."
    )
