"""A training is never silent for long, whatever takes its time."""

import time

from ultron_core.training.progress import Progress


def test_what_was_said_last_is_said_again_while_nothing_comes(tmp_path):
    heard = []
    with Progress(tmp_path / "log.txt", heard.append, quiet_seconds=0.08) as progress:
        progress.tell("step 1 of 2")
        time.sleep(0.4)
    assert 3 <= sum("step 1 of 2" in line for line in heard) <= 12
    assert (tmp_path / "log.txt").read_text().splitlines() == heard
