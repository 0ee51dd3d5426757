"""Root causes in closing answers that the person let stand."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.people.causes import find_causes
from ultron_core.lessons.people.turns import read_turns

ANSWER = """Found it.

## Root cause

The index splits `poem.txt` into two tokens, but the query never does.

The fix is query-side: replaced `alnumWords` with `fieldTokens`.
"""


def causes(answer, *after, outcome="unknown", work=True):
    messages = talk(
        ("user", "Why is it not found?"), (bash("grep -n poem src"), "x"), ("assistant", answer), *after
    )
    return find_causes(messages, read_turns(messages), outcome, "search", work)


def test_the_cause_with_its_fix():
    (draft,) = causes(ANSWER, ("user", "great, thanks"))
    assert (
        draft.content == "In search: The index splits `poem.txt` into two tokens, but the query never does."
    )
    assert draft.resolution == "The fix is query-side: replaced `alnumWords` with `fieldTokens`."
    assert draft.memory_type == "error"
    assert draft.context == "A person had asked or reported: Why is it not found?"


def test_of_a_long_answer_the_end_is_read():
    (draft,) = causes("I look at one file after the other. " * 300 + "\n" + ANSWER)
    assert "splits `poem.txt`" in draft.content


def test_a_chinese_cause():
    (draft,) = causes("问题在于 `docsLoader` 返回了二维数组，所以条目没有被读取。")
    assert "docsLoader" in draft.content


def test_no_cause_where_the_person_objected_or_the_task_failed():
    assert causes(ANSWER, ("user", "No, that is wrong, it still does not work.")) == []
    assert causes(ANSWER, outcome="failure") == []
    assert causes(ANSWER, work=False) == []


def test_a_guess_and_a_plan_are_no_cause():
    assert causes("The problem is probably the cache in `store.py`.") == []
    assert causes("Let me look at the root cause in `store.py` first.") == []
