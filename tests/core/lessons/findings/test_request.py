"""What a person had asked for when the agent stated something."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.findings.request import request_of
from ultron_core.lessons.reading import read_segment

FIRST = "Make the export of the reports resume after a crash."
WHY = "Why is the queue of the export lost?"


def asked(*requests, about="The queue is lost."):
    said = [
        one
        for request in requests
        for one in (("user", request), (bash("ls"), "app.py"), ("assistant", "Fine."))
    ]
    turns = read_segment(talk(*said), "unknown", "shop").turns
    return request_of(turns, turns[-1], about)


@pytest.mark.parametrize(
    "request_", ["continue", "is it done?", "create a release build", "继续", "为什么没有显示"]
)
def test_a_turn_that_says_nothing_by_itself_goes_back_to_the_one_before(request_):
    assert asked(FIRST, request_) == FIRST
    assert asked(request_) == ""


@pytest.mark.parametrize(
    "request_",
    [
        "what is rag_store?",
        "rag_store是做什么的",
        "生成requirements.txt和README.md",
        "ai回复在loading时，上方还残留icon。",
    ],
)
def test_a_short_turn_that_names_a_thing_stands_for_itself(request_):
    assert asked(FIRST, request_) == request_


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (f"# Context\n\n- tab: app.py\n\n{WHY}", WHY),
        (f"/ask {WHY}", WHY),
        (f"{WHY}\n" + "- one of many rows of a report\n" * 150, WHY),
        (
            "<issue>\ncode = load(queue);\n把上传页面的队列改为可恢复的。\n</issue>",
            "把上传页面的队列改为可恢复的。",
        ),
    ],
)
def test_of_a_document_the_first_line_that_says_something(request_, told):
    assert asked(request_) == told


@pytest.mark.parametrize(
    "pasted",
    [
        "Caused by the lock: java.lang.IllegalStateException: queue is closed now",
        "Received: 3 rows of the old report here",
        "% ls the old folder of reports here",
    ],
)
def test_pasted_output_is_no_request(pasted):
    assert asked(FIRST, pasted) == asked(FIRST)


def test_of_a_long_request_the_sentence_that_speaks_of_it():
    request = "Please read the plan first. Keep all of the names. Then find out why the queue of the export is lost."
    assert asked(request, about="The queue of the export is emptied.").startswith("find out")
