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
    assert (
        draft.resolution
        == "The agent's account: The fix is query-side: replaced `alnumWords` with `fieldTokens`."
    )
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


def test_neither_the_error_once_more_nor_a_changelog_is_a_cause():
    assert (
        causes(
            "### 问题总结\n\n**错误信息**：`StoreError: no such index`，没有找到\n\n更新 `CHANGELOG.md`：修复"
        )
        == []
    )
    assert causes("## Root cause\n\n**Error message**: `StoreError: no such index`, it does not exist") == []


def test_a_guess_and_a_plan_are_no_cause():
    assert causes("The problem is probably the cache in `store.py`.") == []
    assert causes("Let me look at the root cause in `store.py` first.") == []


REPORT = (
    "OK, there's an issue: if `.shop/history` goes away while `shop watch` runs, we silently fail to write."
)
MENDED = """Done. All tests pass.

- Renamed a helper in `util.go`.
- Added a call that makes `.shop/history` before each write.
"""


def mended(*after):
    messages = talk(("user", REPORT), (bash("go test ./..."), "ok"), ("assistant", MENDED), *after)
    return find_causes(messages, read_turns(messages), "unknown", "shop", True)


def test_a_fault_that_was_mended_is_told_with_what_was_done_about_it():
    (draft,) = mended(("user", "Now add analytics for the command."))
    assert draft.memory_type == "error" and "`.shop/history` goes away" in draft.content
    assert (
        draft.resolution == "The agent's account: Added a call that makes `.shop/history` before each write."
    )
    assert len(draft.evidence) == 2


def test_whether_it_held_is_not_known_at_the_end_or_after_an_objection():
    assert mended() == []
    assert mended(("user", "No, that is wrong, it still does not work.")) == []


def test_of_a_list_below_the_heading_the_items_that_say_what_led_to_what():
    listed = "## 原因分析\n\n- 可能是缓存\n- 返回了扁平的 entries，而 `load` 必须返回 void，导致类型错误\n"
    (draft,) = causes(listed + "- 现在按顺序执行 `load`，不会再丢失\n")
    assert "导致类型错误" in draft.content


def test_a_cause_that_the_same_answer_takes_back_is_none():
    told = "The root cause was that `Carousel` does not wait for the animation after `next()` was called."
    assert causes(told, ("user", "Thanks, on to the docs."))
    taken_back = f"{told} Wait, that's not the real reason: let me look at the number of slides again."
    assert causes(taken_back, ("user", "Thanks, on to the docs.")) == []


FOUND = "I found the issue. `session start` fails because the branch is made before `sessionDB.add`. Let me fix it:"


def test_a_cause_that_was_announced_before_the_work_goes_on():
    (draft,) = causes("Looking.", ("assistant", FOUND), (bash("make"), "ok"), ("assistant", "Fixed it."))
    assert "the branch is made before `sessionDB.add`" in draft.content
    assert draft.memory_type == "error"


def test_a_cause_that_was_announced_later_puts_the_earlier_right_unless_a_person_accepted_it():
    early = (
        "I see the problem. `railway.json` is not read, because it is in the wrong folder. Let me move it:"
    )
    later = (("assistant", FOUND), (bash("make"), "ok"), ("assistant", "Fixed it."))
    moved = ((bash("mv railway.json /"), "ok"), ("assistant", "Moved it."))
    (draft,) = causes("Looking.", ("assistant", early), *moved, ("user", "And the branch?"), *later)
    assert "sessionDB" in draft.content
    accepted = ("user", "It's working now, thanks! The branch fails, though.")
    both = causes("Looking.", ("assistant", early), *moved, accepted, *later)
    assert ["railway.json" in draft.content for draft in both] == [True, False]


def test_an_answer_after_which_the_agent_gives_in_is_no_cause():
    reply = ("assistant", "You're absolutely right, the file is `query.py`.")
    assert causes(ANSWER, ("user", "The right file should be query.py"), reply) == []
