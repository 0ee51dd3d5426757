"""Which files the drop sensor asks runs for, over ticks during progress."""

from collections import deque
from pathlib import Path

import pytest

from ultron_core.steps.files.drop_folder import SeenFile
from ultron_core.steps.files.identity import IngestFile
from ultron_pipelines.triggers.queue import ActiveRun, next_batches


def files(n):
    return [
        SeenFile(f"a/{i:05}.jsonl", IngestFile(Path(f"{i}"), "a", f"{i:05}.jsonl"), 10, 1) for i in range(n)
    ]


def keys(batch):
    return frozenset(file.key for file in batch)


def test_twenty_thousand_files_make_forty_runs_whatever_the_progress_between_ticks():
    waiting, runs, queue, working = files(20_000), 0, deque(), []
    per_file = dict.fromkeys((file.key for file in waiting), 0)
    while waiting or queue or working:
        active = [ActiveRun(keys(b), True) for b in queue] + [ActiveRun(keys(b), False) for b in working]
        for batch in next_batches(waiting, active, 500):
            queue.append(batch)
            runs += 1
            for file in batch:
                per_file[file.key] += 1
        assert len(queue) <= 2, "no more than two requests wait"
        # a tick later: one run is over, two are at work; of the others some files are read already
        if working:
            done = keys(working.pop(0))
            waiting = [file for file in waiting if file.key not in done]
        while queue and len(working) < 2:
            working.append(queue.popleft())
        half = {file.key for batch in working for file in batch[: len(batch) // 2]}
        waiting = [file for file in waiting if file.key not in half]
    assert runs == 40
    assert set(per_file.values()) == {1}


def test_a_file_that_a_run_holds_is_not_requested_again():
    drop = files(3)
    (batch,) = next_batches(drop, [ActiveRun(frozenset({"a/00001.jsonl"}), False)], 500)
    assert keys(batch) == {"a/00000.jsonl", "a/00002.jsonl"}
    assert next_batches(drop, [ActiveRun(keys(drop), False)], 500) == []


def test_a_few_files_wait_while_others_are_queued():
    drop = files(700)
    first = next_batches(drop, [], 500)
    assert [len(batch) for batch in first] == [500, 200]
    assert next_batches(drop, [ActiveRun(keys(drop[:500]), True)], 500) == [], "the 200 may become more"
    (late,) = next_batches(drop, [ActiveRun(keys(drop[:500]), False)], 500)
    assert len(late) == 200


@pytest.mark.parametrize("queued", [2, 3])
def test_nothing_is_requested_while_two_requests_wait(queued):
    assert next_batches(files(5000), [ActiveRun(frozenset(), True)] * queued, 500) == []


def test_files_that_are_read_alone_keep_no_batch_waiting():
    drop, alone = files(30), {"a/00003.jsonl", "a/00007.jsonl"}
    assert [len(batch) for batch in next_batches(drop, [], 500, alone)] == [28, 1], "two requests at most"
    held = keys(drop) - alone - {"a/00009.jsonl"}
    assert next_batches(drop, [ActiveRun(held, True)], 500, alone) == []
    assert [len(batch) for batch in next_batches(drop, [ActiveRun(held, False)], 500, alone)] == [1, 1]
    assert [keys(batch) for batch in next_batches(drop, [], 500, keys(drop))] == [
        keys(drop[:1]),
        keys(drop[1:2]),
    ]
