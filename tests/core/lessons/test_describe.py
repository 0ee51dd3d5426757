"""Which file a call names, and the telling part of a command."""

import pytest

from ultron_core.lessons.describe import core_command, folder_of, path_of


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


@pytest.mark.parametrize(
    ("command", "core"),
    [
        ("cd api && npm test 2>&1 | tail -5", "npm test"),
        ("export CI=1\npytest tests", "pytest tests"),
        ("ls", "ls"),
    ],
)
def test_the_telling_part_of_a_command(command, core):
    assert core_command(command) == core


def test_the_folder_that_a_command_runs_in():
    assert folder_of("cd api && npm test") == "api"
    assert folder_of("npm test") == ""
