"""Words are cut into the likeliest pieces, from the beginning of a text or from its end."""

import math
import time

from ultron_core.transcript.sense.pieces import UNKNOWN, Pieces

MARKS = ["<s>", "<pad>", "</s>", "<unk>"]
WORDS = ["\u2581run", "\u2581", "r", "u", "n", "\u2581the", "\u2581test", "s", "构建", "构", "建", "失败"]
PIECES = Pieces([*MARKS, *WORDS], [0.0] * 4 + [-math.log(2 + at) for at in range(len(WORDS))])


def words(ids):
    return [[*MARKS, *WORDS][at] for at in ids]


def test_a_word_is_cut_into_its_likeliest_pieces():
    assert words(PIECES.ids("run the tests", 9)) == ["\u2581run", "\u2581the", "\u2581test", "s"]
    assert words(PIECES.ids("构建失败", 9)) == ["\u2581", "构建", "失败"]


def test_what_no_piece_holds_is_unknown_and_nothing_is_lost_beside_it():
    assert PIECES.ids("run☃", 9)[-1] == UNKNOWN
    assert words(PIECES.ids("run☃", 9))[0] == "\u2581run"
    assert PIECES.ids("", 9) == []


def test_a_long_text_is_cut_at_its_end_or_at_its_beginning():
    assert words(PIECES.ids("run the tests", 2)) == ["\u2581run", "\u2581the"]
    assert words(PIECES.ids("run the tests", 2, last=True)) == ["\u2581test", "s"]
    assert words(PIECES.ids("构建" * 400 + "失败", 1, last=True)) == ["失败"]


def test_full_width_letters_are_the_plain_ones():
    assert PIECES.ids("ｒｕｎ", 9) == PIECES.ids("run", 9)


def test_signs_that_combine_take_no_quadratic_time():
    long = "a" + "\u0300\u0316" * 50_000  # 20 s before texts were cut first
    started = time.process_time()
    assert len(PIECES.ids(long, 56)) <= 56 and len(PIECES.ids(long, 56, last=True)) <= 56
    assert time.process_time() - started < 1.0
