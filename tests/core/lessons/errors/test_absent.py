"""Programs and folders that are not there."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.absent import find_absent
from ultron_core.transcript.actions import read_actions


def absent(task, *turns):
    messages = talk(("user", task), *turns)
    return find_absent(messages, read_actions(messages))


WGET = (bash("wget https://example.org/a.txt"), "/bin/bash: line 1: wget: command not found")


def test_a_program_and_what_did_its_work():
    (draft,) = absent("Fetch it.", WGET, (bash("curl -O https://example.org/a.txt"), "100 1256"))
    assert draft.content == (
        "`wget` is not installed in this environment: /bin/bash: line 1: wget: command not found"
    )
    assert draft.resolution == "It worked with `curl -O https://example.org/a.txt` instead."
    assert [item.start_line for item in draft.evidence] == [3, 4]


def test_a_program_whose_work_nothing_else_did_is_not_told():
    curl = (
        bash("curl https://example.org/a.txt -o /x/a.txt"),
        "Warning: /x/a.txt: No such file or directory",
    )
    assert absent("Fetch it.", WGET) == []
    assert absent("Fetch it.", WGET, curl) == []


CURL = (bash("curl -O https://example.org/a.txt"), "100 1256")


def test_a_program_that_ran_after_all_is_there():
    installed = (bash("brew install wget && wget https://example.org/a.txt"), "saved a.txt")
    assert absent("Fetch it.", WGET, CURL, installed) == []
    assert len(absent("Fetch it.", WGET, CURL, WGET)) == 1
    asked = (bash("wget --version || echo none"), "none")
    assert len(absent("Fetch it.", WGET, CURL, asked)) == 1


def test_a_folder_that_the_task_names():
    find = (bash("find /system -name '*.out'"), "find: '/system': No such file or directory")
    look = (bash("ls /system"), "ls: cannot access '/system': No such file or directory")
    (draft,) = absent("Find all *.out files in /system", find, look)
    assert draft.content.startswith(
        "`/system` does not exist in this environment, although the task names it"
    )
    assert absent("Find all *.out files in /system", find) == []  # one failure may be a slip
    assert absent("Find all *.out files", find, look) == []  # the agent's own guess
    made = (bash("mkdir -p /system && ls /system"), "")
    assert absent("Find all *.out files in /system", find, look, made) == []
