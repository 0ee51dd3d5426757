"""How a project is checked: the commands that ran on a change and worked."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.habits import find_habits, is_check
from ultron_core.transcript.actions import read_actions


def edit(number, file="/repo/src/core/a.py"):
    arguments = {"file_path": file, "old_string": f"a{number}", "new_string": f"b{number}"}
    return (("Edit", arguments), "The file has been updated.")


def habits(*turns, project="repo"):
    messages = talk(("user", "Please refactor the module."), *turns)
    return find_habits(messages, read_actions(messages), project)


def commands(*turns):
    return [draft.content for draft in habits(edit(1), *turns)]


def test_a_check_that_follows_a_change():
    (draft,) = habits(edit(1), (bash("cd /repo && npm run check tests/t1.ts 2>&1 | tail -5"), "42 files ok"))
    assert draft.memory_type == "pattern"
    assert draft.content == "Changes in repo are checked with `npm run check`."
    assert draft.context == "When changing `.py` files."
    assert [item.quote for item in draft.evidence] == ["npm run check tests/t1.ts", "42 files ok"]


def test_the_value_of_an_option_is_no_check():
    assert not is_check("java -jar server.jar --spring.profiles.active=test")
    assert not is_check("java -jar target/check-server.jar")
    assert is_check("npm run test --workspace=shop")


def test_the_parts_of_one_line_are_told_together():
    line = (bash("go build -o app && golangci-lint run && go test -v ./pkg/a/"), "ok  example/a  0.1s")
    assert commands(line) == [
        "Changes in repo are checked with `go test ./...`, `golangci-lint run`, `go build -o app`."
    ]


def test_what_was_selected_this_time_is_left_out():
    runs = [(bash(f"uv run pytest -q tests/test_{n}.py -k name{n}"), "3 passed in 0.1s") for n in range(3)]
    assert commands(*runs) == ["Changes in repo are checked with `uv run pytest`."]


def test_what_anybody_would_type_first_says_nothing_of_the_project():
    run = (bash("pytest --no-header -rA -p no:cacheprovider tests/test_a.py"), "3 passed in 0.1s")
    assert commands(run) == []


def test_without_a_change_a_project_or_a_pass_there_is_none():
    check = (bash("npm run check"), "ok")
    assert habits(check) == []
    assert habits(edit(1), check, project="") == []
    assert commands((bash("npm run check"), "error: 3 problems")) == []
    assert commands((bash("npm run check || true"), "3 problems")) == []


def test_tests_that_a_harness_runs_after_a_patch():
    patch = "a.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```"
    output = (
        "Applied edit to shop/a.py\n\nTest Script: conda run -n shop__1 bin/test -C shop/test_a.py;\n3 failed"
    )
    messages = talk(("user", "Please."), ("assistant", patch))
    result = type(messages[0])("tool", output, origin="tool", start_line=3, end_line=3)
    (draft,) = find_habits([*messages, result], read_actions([*messages, result]), "shop")
    assert draft.content == "Changes in shop are checked with `bin/test -C`."


@pytest.mark.parametrize(
    ("command", "checks"),
    [
        ("go vet ./...", True),
        ("cd /repo && mix test", True),
        ("git commit -m 'fix tests'", False),
        ("grep -rn build src", False),
        ("Run the tests of the parser", False),
    ],
)
def test_what_counts_as_a_check(command, checks):
    assert is_check(command) is checks
