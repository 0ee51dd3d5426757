"""Long work tells how far it is, in a terminal and in a log file."""

import time

from ultron_core.cli.progress import progress_bar


def test_in_a_pipe_a_line_each_few_seconds_also_while_one_item_takes_long(capsys):
    with progress_bar("reading", quiet=False, every=0.05) as advance:
        advance("a/very/long\n/path.jsonl", 3, 40)
        until = time.monotonic() + 5
        told = ""
        while told.count("\n") < 2 and time.monotonic() < until:
            time.sleep(0.02)
            told += capsys.readouterr().err
    first, second = told.splitlines()[:2]
    assert first == second == "reading a/very/long /path.jsonl 3 of 40, 0 s"


def test_short_work_and_machines_see_nothing(capsys):
    for quiet in (False, True):
        with progress_bar("reading", quiet=quiet) as advance:
            advance("a.jsonl", 1)
    assert capsys.readouterr().err == ""
