"""Comparing and merging takes time that grows with the texts, not with their square."""

import random
import time

from ultron_core.memories import Body, diverges, merge_bodies

WORDS = [
    "build",
    "server",
    "config",
    "fails",
    "port",
    "user",
    "module",
    "import",
    "package",
    "error",
    "value",
    "file",
]


def note(words):
    """Prose with some numbers and paths, in sentences of about twelve words."""
    chance = random.Random(words)
    said = []
    for _ in range(words):
        word = chance.choice(WORDS)
        if chance.random() < 0.05:
            word = f"{word}{chance.randrange(1000)}"
        elif chance.random() < 0.03:
            word = f"/srv/{word}/{chance.choice(WORDS)}.py"
        said.append(word + "." * (chance.random() < 0.08))
    return " ".join(said)


def near(text):
    words = text.split()
    return " ".join([*words[: len(words) // 2], "today", *words[len(words) // 2 :]])


def seconds(words):
    """CPU time of one comparison and merge of near-duplicates, the best of three."""
    old = note(words)
    new = near(old)

    def once():
        start = time.process_time()
        diverges(old, new)
        merge_bodies(Body(old), Body(new))
        return time.process_time() - start

    return min(once() for _ in range(3))


def test_a_near_duplicate_of_ten_thousand_words_takes_less_than_a_second():
    assert seconds(10_000) < 1


def test_time_grows_with_the_text():
    """Sixteen times the words: linear is 16 times, a square 256. Measured: 1.1 times linear."""
    assert seconds(8_000) < 2 * 16 * seconds(500)
