"""Fingerprints of a log take a few bytes each and come back as they were."""

import tracemalloc

from ultron_core.store.tables.packed import Digests, MessageDigests


def test_fingerprints_come_back_in_order_as_often_as_they_are_asked_for():
    given = [f"{number:016x}" for number in (0, 1, 2**64 - 1, 12345)]
    digests = Digests()
    for digest in given:
        digests.append(digest)
    assert list(digests) == list(digests) == given and len(digests) == 4
    assert not Digests() and not list(Digests())


def test_each_keeps_its_thread_and_lines():
    given = [("00" * 8, "main", 1, 1), ("ff" * 8, "agent:a", 2, 4), ("00" * 8, "main", 5, 5)]
    found = MessageDigests()
    for row in given:
        found.append(*row)
    assert list(found) == given and len(found) == 3 and list(found.digests) == [row[0] for row in given]


def test_a_hundred_thousand_take_no_more_than_three_megabytes():
    tracemalloc.start()
    found = MessageDigests()
    for number in range(100_000):
        found.append(f"{number:016x}", "main", number, number)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 3_000_000
