"""What counts as the same check, and what proves that it passes."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.episodes.same_check import changed_words, is_proof, same_check
from ultron_core.transcript.actions import read_actions


def same(before, after):
    failed, later = read_actions(talk(("user", "Please."), (before, "error: it failed"), (after, "ok")))
    return same_check(failed, later)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pytest tests/test_a.py", "pytest tests/test_a.py 2>&1 | tail -5"),
        ("pytest tests/test_a.py::test_b", "pytest tests/test_a.py"),
        ("go test -run TestA ./pkg/a", "go test ./..."),
        ("npx vitest run src/a.test.ts", "npx vitest run"),
        ("git push", "git push --set-upstream origin topic"),
        ("npm install left-pad@1", "npm install left-pad@2 --legacy-peer-deps"),
        ("python mian.py", "python mian.py --verbose"),
        ("golangci-lint run", "gofmt -w . && golangci-lint run"),
        ("npm run lint && npm test", "npm run lint && npm run build && npm test"),
        ("git add a.py && git commit -m x", "git commit -m x"),
        ("cd api && npm test", "cd api/src && npm test"),
    ],
)
def test_the_same_command_or_a_wider_one(before, after):
    assert same(bash(before), bash(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mix test test/a_test.exs", "mix test test/b_test.exs"),
        ("pytest tests", "pytest tests/test_a.py"),
        ("go test ./...", "go test -run TestA ./..."),
        ("npm run build", "npm run lint"),
        ("pip install numpy pandas", "pip install pandas"),
        ("df -m /system", "df -m /usr/lib/systemd/system"),
        ("python train.py", "python train_small.py"),
        ("npm run lint && npm test", "npm test"),
        ("cd api && npm test", "cd web && npm test"),
    ],
)
def test_a_narrower_selection_other_packages_or_another_script_is_not_the_same(before, after):
    assert not same(bash(before), bash(after))


def test_a_statement_is_the_same_when_one_name_in_it_changed():
    def query(sql):
        return ("execute_sql", {"query": sql})

    assert same(query("SELECT AVG(mpg) FROM cars"), query("SELECT AVG(mpg) FROM cars_data"))
    assert not same(query("SELECT AVG(mpg) FROM cars"), query("SHOW TABLES"))
    assert changed_words("SELECT a FROM t", "SELECT b FROM t") == ("a", "b")


def test_an_edit_of_another_file_is_not_the_same():
    def edit(file, text):
        return ("Edit", {"file_path": file, "old_string": text, "new_string": "x"})

    assert same(edit("a.py", "x=1"), edit("a.py", "x = 1"))
    assert not same(edit("a.py", "x=1"), edit("b.py", "x=1"))


@pytest.mark.parametrize(
    ("command", "output", "proves"),
    [
        ("pip install torch", "Successfully installed torch-2.0", True),
        ("pip install torch", "Command timed out after 2m 0.0s", False),
        ("npm run dev", "Command running in background with ID: b1", False),
        ("npm test || true", "done", False),
    ],
)
def test_a_result_that_proves_nothing(command, output, proves):
    (action,) = read_actions(talk(("user", "Please."), (bash(command), output)))
    assert is_proof(action) == proves


def test_the_same_check_in_another_folder_counts_when_something_was_not_found():
    missing = (bash("cd api && npm test"), "npm error Missing script: test, or it was not found")
    failed, later = read_actions(talk(("user", "Please."), missing, (bash("cd web && npm test"), "ok")))
    assert same_check(failed, later)


@pytest.mark.parametrize(
    ("command", "output", "proof"),
    [
        ("npx tsc --noEmit | grep loader.ts", "", False),
        ("go test ./... | grep -v FAIL", "ok  example/shop  0.2s", True),
        ("golangci-lint run 2>&1 | head -5", "0 issues.", True),
        ("npm run check 2>&1 | head -5", "> check", False),
        ("curl -s example.org/rows | grep -c id", "12", True),
    ],
)
def test_what_is_left_of_a_sifted_check_must_say_that_it_passed(command, output, proof):
    (action,) = read_actions(talk(("user", "Please."), (bash(command), output)))
    assert is_proof(action) is proof
