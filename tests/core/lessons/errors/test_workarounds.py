"""A call that its program refused, and the form that ran instead."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.episodes import find_episodes
from ultron_core.lessons.errors.workarounds import find_workarounds
from ultron_core.transcript.actions import read_actions

REFUSED = (bash("cat -A src/app.py"), "cat: illegal option -- A\nusage: cat [-belnstuv] [file ...]")


def workarounds(*turns):
    messages = talk(*turns)
    actions = read_actions(messages)
    return find_workarounds(messages, find_episodes(messages, actions), actions, "shop")


def test_another_form_of_the_same_program_on_the_same_file():
    (draft,) = workarounds(REFUSED, (bash("cat -vet src/app.py"), "import os$"))
    assert draft.content == "In shop, `cat -A src/app.py` failed: cat: illegal option -- A"
    assert draft.resolution == "This form ran instead: `cat -vet src/app.py`"
    assert [item.start_line for item in draft.evidence] == [2, 3, 4]


def test_another_file_or_program_is_no_other_form():
    assert workarounds(REFUSED, (bash("cat -vet src/other.py"), "import os$")) == []
    assert workarounds(REFUSED, (bash("head -3 src/app.py"), "import os")) == []


def test_the_other_form_must_run():
    assert workarounds(REFUSED, (bash("cat -T src/app.py"), "cat: illegal option -- T")) == []


def test_a_failure_that_is_not_about_the_call_has_no_other_form():
    missing = (bash("cat src/app.py"), "cat: src/app.py: No such file or directory")
    assert workarounds(missing, (bash("cat -v src/app.py"), "import os")) == []


def test_a_shell_that_does_not_know_the_separator():
    refused = (
        "The token '&&' is not a valid statement separator.\n    + FullyQualifiedErrorId : InvalidEndOfLine"
    )
    (draft,) = workarounds(
        (bash("cd web && npm run build_web"), refused), (bash("npm run build_web"), "built in 3s")
    )
    assert draft.content == (
        "In shop, `cd web && npm run build_web` in PowerShell failed: "
        "The token '&&' is not a valid statement separator."
    )
    assert draft.resolution == "This form ran instead: `npm run build_web`"


def test_a_terminal_that_a_person_pasted():
    failed = "me@web1:~$ docker pull lab/switch\nError response from daemon: unauthorized: incorrect password"
    worked = "done\nme@web1:~$ docker login -u me\nLogin Succeeded\nme@web1:~$ docker pull lab/switch\nPull complete"
    (draft,) = workarounds(
        ("user", failed),
        ("assistant", "The registry rejects the pull because the stored `docker` password is stale."),
        ("user", worked),
    )
    assert draft.content == (
        "In shop, `docker pull lab/switch` failed: Error response from daemon: unauthorized: incorrect password"
    )
    assert draft.resolution == (
        "The agent's account: The registry rejects the pull because the stored `docker` password is stale. "
        "It worked after running `docker login -u me`."
    )


def test_a_way_round_a_check_is_no_other_form():
    refused = (bash("git commit -m 'x'"), "Exit code 1\nerror: the hook refused: src/loader.ts lacks a name")
    assert workarounds(refused, (bash("git commit -m 'x' --no-verify"), "[main 1f] x")) == []
