"""What a shell call became before it ran."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.forms import find_form, shown_call
from ultron_core.transcript.actions import read_actions

LOOKED = (bash("ls"), "src")


def form(failed, *later, refused=False):
    actions = read_actions(talk(("user", "Get the branch ready."), failed, *later))
    found = find_form(actions[0], actions[1:], refused=refused)
    return None if found is None else (found.ran.text, found.steps)


def ran(command):
    return f'{{"command": "{command}"}}'


def test_the_same_call_after_the_step_that_its_output_names():
    failed = (
        bash("git rebase main"),
        "error: cannot rebase: You have unstaged changes. Commit or stash them.",
    )
    again = (bash("git rebase main"), "Successfully rebased")
    assert form(failed, LOOKED, (bash("git stash"), "Saved"), LOOKED, again) == (
        ran("git rebase main"),
        ("git stash",),
    )


def test_a_step_in_the_same_line():
    failed = (
        bash("git rebase main"),
        "error: cannot rebase: You have unstaged changes. Commit or stash them.",
    )
    assert form(failed, (bash("git stash && git rebase main"), "rebased"))[1] == ("git stash",)


def test_a_variable_instead_of_an_option():
    failed = (bash("crawl --depth 3 docs"), "error: unknown option '--depth'")
    assert form(failed, LOOKED, LOOKED, (bash("DEPTH=3 crawl docs"), "12 pages")) == (
        ran("DEPTH=3 crawl docs"),
        (),
    )


def test_a_package_under_its_other_name():
    failed = (bash("pip install opencv"), "ERROR: No matching distribution found for opencv")
    assert form(failed, LOOKED, (bash("pip install opencv-python"), "Successfully installed"))[1] == ()


def test_what_the_failure_names_was_replaced():
    failed = (bash("npm run serve"), 'npm error Missing script: "serve"')
    assert form(failed, LOOKED, (bash("npm run dev"), "ready"), refused=True) == (ran("npm run dev"), ())
    assert form((bash("fly open web"), "error: no access"), (bash("fly open api"), "ok")) is None


def test_the_name_of_the_command_in_another_shell():
    failed = (
        bash("mkdir -p src/a src/b"),
        "mkdir : A positional parameter cannot be found that accepts 'src/b'.",
    )
    made = (bash("New-Item -ItemType Directory -Path src/a, src/b"), "Directory: C:")
    assert form(failed, LOOKED, made, refused=True) == (
        ran("New-Item -ItemType Directory -Path src/a, src/b"),
        (),
    )


def test_a_here_document_in_quotes():
    failed = (bash("git commit -m \"$(cat <<'EOF'\nfix: retry\nEOF\n)\""), "The '<' operator is reserved.")
    assert form(failed, LOOKED, (bash("git commit -m 'fix: retry'"), "1 file changed"), refused=True)[1] == ()


def test_after_an_edit_no_step_is_the_cure():
    failed = (bash("fly deploy"), "error: the app has no release command")
    edited = (("Edit", {"file_path": "fly.toml", "old_string": "a", "new_string": "b"}), "updated")
    assert form(failed, edited, (bash("fly login"), "ok"), (bash("fly deploy"), "released")) is None


def test_a_look_is_no_other_form():
    failed = (bash("cat src/app.py"), "cat: src/app.py: No such file or directory")
    assert form(failed, (bash("cat lib/app.py"), "x = 1")) is None
    assert form((bash("git push"), "fatal: no upstream"), (bash("git status"), "clean")) is None


def test_another_aim_is_no_other_form():
    failed = (bash("docker run web"), "docker: image not found")
    assert form(failed, (bash("docker build -t web ."), "built")) is None
    assert form(failed, (bash("npm test"), "3 passed")) is None


def test_texts_that_were_handed_over_are_not_shown():
    assert shown_call("git commit -m 'fix: retry the upload'") == "git commit -m '…'"
    assert shown_call("cat > a.sh <<'EOF'\necho 1\nEOF") == "cat > a.sh <<'EOF' … EOF"
