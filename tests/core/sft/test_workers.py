"""Batches in other processes: the same order and results as here, and an error that says what to do when one dies."""

import os
import resource
from pathlib import Path

import pytest

from ultron_core.errors import ExportError
from ultron_core.sft import Workers
from ultron_core.sft.heap import give_back

#: what a batch leaves in the worker, behind all that it frees: the C library gives back nothing before it by itself
_left = []
MEGABYTES = 80
BATCHES = [("a", [1, 2]), ("b", []), ("c", [3]), ("d", [4, 5, 6]), ("e", [7])]


def ten():
    return 10


def times(factor, batch):
    return [(factor * value, os.getpid()) for value in batch]


def dies(_, batch):
    os._exit(9)


def held():
    """Megabytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def fills(_, batch):
    """What is held before the batch, which needs much memory in small pieces."""
    before = held()
    pieces = [bytearray(4096) for _ in range(MEGABYTES * 256)]
    _left.append(bytearray(4096))
    del pieces
    return [before for _ in batch]


def values(found):
    return [(context, [value for value, _ in made]) for context, made in found]


def processes(found):
    return {pid for _, made in found for _, pid in made}


def test_results_come_in_the_order_of_the_batches_here_and_elsewhere():
    with Workers(ten) as here, Workers(ten, 2, anew=ten) as elsewhere:
        one, other = list(here.map(times, BATCHES)), list(elsewhere.map(times, BATCHES))
    assert values(one) == values(other)
    assert values(one)[0] == ("a", [10, 20]) and values(one)[1] == ("b", [])
    assert processes(one) == {os.getpid()}
    assert os.getpid() not in processes(other)


def test_a_single_batch_is_not_worth_a_process():
    with Workers(ten, 4, anew=ten) as workers:
        assert processes(list(workers.map(times, [("a", [1]), ("b", [])]))) == {os.getpid()}


def test_a_few_items_in_many_batches_are_not_worth_a_process():
    many = [(number, [number]) for number in range(20)]
    with Workers(ten, 2, anew=ten, least=8) as workers:
        assert processes(list(workers.map(times, many))) == {os.getpid()}
    with Workers(ten, 2, anew=ten, least=4) as workers:
        assert os.getpid() not in processes(list(workers.map(times, many)))


def test_the_first_batches_may_be_done_here():
    with Workers(ten, 2, anew=ten) as workers:
        found = list(workers.map(times, BATCHES, here=3))
    assert values(found) == values(list(Workers(ten).map(times, BATCHES)))
    assert processes(found[:3]) == {os.getpid()} and os.getpid() not in processes(found[3:])


def test_batches_are_asked_for_only_as_far_ahead_as_there_are_processes():
    asked = []

    def batches():
        for number in range(100):
            asked.append(number)
            yield number, [number]

    with Workers(ten, 2, anew=ten) as workers:
        next(found := workers.map(times, batches()))
        assert len(asked) < 10
        found.close()


def test_a_worker_that_is_ended_from_outside_ends_the_export_with_advice():
    with Workers(ten, 2, anew=ten) as workers, pytest.raises(ExportError, match="ULTRON_SFT_WORKERS"):
        list(workers.map(dies, BATCHES))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_what_a_batch_freed_is_given_back_before_the_next():
    with Workers(ten, 2, anew=ten) as workers:
        found = [before for _, made in workers.map(fills, [("a", [1])] * 12) for before in made]
    assert max(found) - min(found) < MEGABYTES / 4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_memory_is_given_back_here_too():
    before = held()
    fills(None, [])
    give_back()
    assert held() - before < MEGABYTES / 4
