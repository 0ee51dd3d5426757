"""Pasted output: told from what was typed, and named by the line that says what failed."""

import pytest

from ultron_core.transcript.pasted import failure_told, is_printed, typed_lines

BUILD = """C:\\work\\shop>mvn clean install
[INFO] Scanning for projects...
[ERROR] Some problems were met while reading the POMs:
[ERROR] Child module /srv/shop/cart does not exist
"""


@pytest.mark.parametrize(
    "line",
    [
        r"C:\work\shop>mvn test",
        r"PS D:\shop> npm start",
        "ann@box:~/shop$ make",
        "(env) root@3f2a:/shop# ls",
        "[INFO] cart ........ SUCCESS",
        "java.lang.IllegalStateException: closed",
        "util.List.forEach(List.java:15)",
        "index.js:19 Uncaught TypeError: x is null",
        "/srv/shop/a.log /srv/shop/b.db",
        "▶\t112: catch",
        "insmod: ERROR: could not insert module x.ko: Invalid module format",
        "docker: Error response from daemon: pull access denied for shop/cart",
    ],
)
def test_lines_that_nobody_types(line):
    assert is_printed(line)


@pytest.mark.parametrize(
    "line",
    [
        "The error is in main.py:12, look there",
        "Add a logger: INFO by default",
        "2. fix the import",
        "localhost:3000 does not open",
        "报错了，帮我看看",
        "Use `a > b` here",
    ],
)
def test_lines_that_people_type(line):
    assert not is_printed(line)


def test_output_goes_on_to_an_empty_line_or_to_words_of_a_person():
    text = f"Please look:\n{BUILD}some more output\n这里为什么会失败\n\nBy the way"
    assert list(typed_lines(text)) == ["Please look:", "这里为什么会失败", "", "By the way"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BUILD, "Child module /srv/shop/cart does not exist"),
        ("x = 1\nValueError: port is not set", "ValueError: port is not set"),
        ("22:00:54 [ERROR] [AddressError] The port is taken", "The port is taken"),
        (
            "a.E: outer thing\nCaused by: a.b.C: middle one\nCaused by: a.b.D: the root cause",
            "D: the root cause",
        ),
        ("all is well", ""),
    ],
)
def test_the_line_that_tells(text, told):
    assert failure_told(text) == told
