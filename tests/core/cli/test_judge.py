"""`ultron judge`: one and several, what is worth judging, asked one by one at a terminal, what was learned."""

import json
import os
import pty
import subprocess
import sys

import pytest

from ultron_core.client import Ultron

LESSONS = (
    "The relay listens on port 2525.",
    "The build needs wheel in its image.",
    "Backups are written to the second disk at night.",
)


@pytest.fixture
def ids(settings, run):
    with Ultron(settings) as ultron:
        return [str(ultron.upload_memory(lesson).id) for lesson in LESSONS]


def test_several_are_judged_at_once_and_shown(run, ids):
    code, out, _ = run("judge", ids[0][:8], ids[1], "junk")
    assert code == 0 and out.splitlines() == [f"{one[:8]} is junk, now archived." for one in ids[:2]]
    assert "junk by the owner" in run("show", ids[0])[1]
    assert "useful, now active" in run("judge", ids[0], "useful")[1]
    told = json.loads(run("judge", ids[2], "useful", "--json")[1])
    assert [(one["id"], one["judged"]) for one in told] == [(ids[2], "useful")]


def test_none_is_judged_when_one_is_not_known(run, ids):
    code, _, errors = run("judge", ids[0], "ffffffff", "junk")
    assert code == 2 and "No memory whose id begins with ffffffff" in errors
    assert len(json.loads(run("judge", "--next", "--json")[1])) == 3


@pytest.mark.parametrize(
    "given", [[], ["junk"], ["0a1b2c3d", "great"], ["--next", "--status"], ["0a1b", "junk", "--refit"]]
)
def test_wrong_usage_gets_the_right_verdicts(run, given):
    code, _, errors = run("judge", *given)
    assert code == 2 and "useful, junk" in errors


def test_next_lists_what_nobody_judged_the_newest_first(run, ids):
    run("judge", ids[1], "useful")
    _, out, _ = run("judge", "--next")
    assert out.index(LESSONS[2]) < out.index(LESSONS[0]) and LESSONS[1] not in out
    assert [one["id"] for one in json.loads(run("judge", "--next", 1, "--json")[1])] == [ids[2]]
    run("judge", ids[0], ids[2], "junk")
    assert "Every memory in use has been judged." in run("judge", "--next")[1]


def test_at_a_terminal_each_is_asked_about(run, ids, tmp_path):
    ours, theirs = pty.openpty()
    asked = subprocess.Popen(
        [sys.executable, "-m", "ultron_core.cli.entry", "judge", "--next"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb"},
    )
    os.close(theirs)
    os.write(ours, b"u\nx\ns\nq\n")
    shown = b""
    while True:
        try:
            shown += os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
    os.close(ours)
    assert asked.wait(60) == 0, shown
    assert b"1 of 3" in shown and b"3 of 3" in shown and b"1 judged." in shown
    assert [one["id"] for one in json.loads(run("judge", "--next", "--json")[1])] == ids[1::-1]


def test_what_was_learned_is_told(run, ids):
    assert "Nothing was learned of them yet" in run("judge", "--status")[1]
    run("judge", ids[0], "junk")
    reason = "The ranker is left as it is: 0 verdicts on memories that the ranker saw; 30 are needed."
    assert reason in run("judge", "--refit")[1]
    told = run("judge", "--status")[1]
    assert "junk" in told and reason in told
    status = json.loads(run("judge", "--status", "--json")[1])
    assert status["judged"] == {"junk": 1} and status["taste"]["coefficients"] is None
