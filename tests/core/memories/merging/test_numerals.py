"""Numbers by value."""

import pytest

from ultron_core.memories.merging.facts import exact_strings
from ultron_core.memories.merging.numerals import find_numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("port 5432", {"5432"}), ("1,000 rows", {"1000"}), ("一千行", {"1000"}), ("ten thousand rows", {"10000"}),
        ("一万二千条", {"12000"}), ("百分之二十", {"20"}), ("twenty-five items", {"25"}), ("at 02:00", {"2"}),
        ("22:30", {"22:30"}), ("version 3.10", {"3.10"}), ("2.32.3", {"2.32.3"}), ("16 GB", {"16"}), ("30s", {"30"}),
        ("十分钟", {"10"}), ("一小时", {"1"}), ("三个任务", {"3"}),
        ("三万五", {"35000"}), ("一百二", {"120"}), ("十二点五", {"12.5"}), ("百二十", {"120"}),
        ("超时一点五秒", {"1.5"}), ("一点二五亿", {"125000000"}),
        ("三点五分开会", {"3", "5"}), ("三点五分钟", {"3.5"}), ("二〇二四年", {"2024"}),
    ],
)  # fmt: skip
def test_values(text, values):
    assert find_numbers(text).certain == values


@pytest.mark.parametrize(
    "text", ["一起运行", "十分重要", "千万不要", "万一失败", "三明治", "one of them", "the first run"]
)
def test_words_that_state_no_quantity(text):
    assert find_numbers(text).certain == frozenset()


def test_exact_strings_are_what_a_merge_must_keep():
    text = "Run `make db` on /srv/app with --force; read_session() wrote 'a b' at 10:30 for v1.2.3."
    found = exact_strings(text)
    for item in ("make db", "/srv/app", "--force", "read_session", "a b", "10:30"):
        assert item in found
