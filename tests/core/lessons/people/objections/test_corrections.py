"""Corrections read by the classifier: the person's words, what the agent had done, what is right."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.people.objections.corrections import find_corrections
from ultron_core.lessons.people.turns import read_turns
from ultron_core.transcript.actions import read_actions

EDIT = (("Edit", {"file_path": "/home/a/shop/src/cart.py", "old_string": "a", "new_string": "b"}), "updated")
DONE = (
    "assistant",
    "I added a helper class for logging and a new file `src/debug.py` for the dump function.",
)


def corrections(*turns, project="shop", work=True):
    messages = talk(("user", "Add logging to the cart."), *turns)
    return find_corrections(messages, read_actions(messages), read_turns(messages), project, work)


@pytest.mark.parametrize(
    "words",
    [
        "why?? just use the standard logger like we do everywhere else. What is that garbage?",
        "No man, we don't want a new file for this, it's too much file sprawl.",
        "uhh.. the dump function does NOT belong in the cart, that's wrong",
        "不是的，你应该修改 src/log 下的处理，而不是新建文件",
    ],
)
def test_an_objection_that_says_what_is_right(words):
    (draft,) = corrections(EDIT, DONE, ("user", words))
    assert draft.memory_type == "correction"
    assert "shop" in draft.content
    assert draft.resolution == ""  # what is right stands in the content
    assert "cart.py" in draft.context and "helper class" in draft.context
    assert draft.evidence[0].quote in words


@pytest.mark.parametrize("words", ["no", "still broken", "还是不行", "That's not right, is it?", "revert it"])
def test_a_bare_objection_teaches_nothing(words):
    assert corrections(EDIT, DONE, ("user", words)) == []


@pytest.mark.parametrize(
    "words",
    [
        "No, both are started with `make run`, so why do the logs differ?",
        "两个服务都是用 make run 启动的呀，为什么日志不同？",
    ],
)
def test_a_fact_held_against_the_agent_in_the_last_turn(words):
    (draft,) = corrections(
        EDIT, ("assistant", "The logs differ because one is started by hand."), ("user", words)
    )
    assert words in draft.content


def test_a_complaint_counts_with_the_cure_that_the_person_let_stand():
    complaint = ("user", "No, it still does not work, the button in the dialog loses the focus.")
    cure = ("assistant", "The hidden input kept the focus because the label still carried a `for` attribute.")
    (draft,) = corrections(EDIT, DONE, complaint, cure, ("user", "Perfect, thanks!"))
    assert "loses the focus" in draft.content
    assert "because the label still carried" in draft.resolution
    assert len(draft.evidence) == 2
    assert corrections(EDIT, DONE, complaint, cure, ("user", "No, it still does not work.")) == []


def test_what_a_customer_wants_changed_is_no_correction_of_the_work():
    told = ("assistant", "The total including travel insurance is 329 dollars.")
    assert corrections(told, ("user", "I actually don't want any insurance included."), work=False) == []


def test_pasted_output_is_not_in_the_words_of_the_person():
    words = "This is not OK, the build should not fetch it.\n$ go build\nerror: should use instead"
    (draft,) = corrections((bash("go build"), "ok"), DONE, ("user", words))
    assert "go build" not in draft.content and "error:" not in draft.content


def test_the_agents_sentence_that_the_objection_is_about_is_named():
    told = (
        "assistant",
        "The build is green and fast now. I added a `replace` directive so that Go finds the library.",
    )
    (draft,) = corrections(told, ("user", "we don't want the replace directive, it would always be active"))
    assert "`replace` directive so that Go" in draft.context


def test_a_task_that_a_program_hands_in_again_is_no_correction():
    task = (
        "decompose() should not return a list of arbitrary order.\n"
        + "It must be sorted by degree, not at random. " * 6
    )
    again = talk(("user", task), DONE, ("user", task), DONE)
    assert find_corrections(again, read_actions(again), read_turns(again), "shop", True) == []


def test_what_is_set_in_from_the_margin_was_pasted():
    words = (
        "We don't want this: the whole folder is ignored.\n\n  This should be verified with the team first."
    )
    (draft,) = corrections(DONE, ("user", words))
    assert "the whole folder is ignored" in draft.content and "verified" not in draft.content


def test_two_remarks_are_not_run_together():
    first = "- selectSession() function\n\nthis should go to the resolver"
    words = f"{first}\n\n- checkVersion() function\n\nwe only do this at startup"
    (draft,) = corrections(DONE, ("user", f"No, that is wrong.\n\n{words}"))
    assert "this should go to the resolver" in draft.content
    assert "at startup" not in draft.content and "checkVersion" not in draft.content


@pytest.mark.parametrize(
    "words",
    [
        "same for queued messages? isn't that stored in the session? you need to read the session in full",
        "the table on 47 is too wide to be useful, instead make 7 tables",
        "这并不是问题，我的问题在 `[data-part=content]` 中，并不是这个问题",
    ],
)
def test_what_is_told_only_by_another_turn_or_by_a_line_number_is_not_kept(words):
    assert not any(draft.memory_type == "correction" for draft in corrections(DONE, ("user", words)))


@pytest.mark.parametrize(
    "words",
    [
        "The statistics are passed the display name here, says the review.\n\nStats should have the ID, not the name",
        "你可以看看其他的测试文件,我希望你不要使用 `document.querySelector` 而是使用 vitest 的 api",
        "我们不再需要 `await import('./api.ts')`，请你看看具体的 `.mdx`",
    ],
)
def test_what_is_right_and_what_is_not_in_one_sentence_is_a_correction_in_a_turn_that_orders_something(words):
    (draft,) = corrections(DONE, ("user", words))
    assert draft.memory_type == "correction"


def test_an_answer_that_defends_itself_is_no_cure_and_one_that_explains_is_called_an_account():
    words = ("user", "No, we don't want the dump function in `src/debug.py`, put it next to the parser.")
    defended = (
        "assistant",
        "The dump function in `src/debug.py` is intentional and doesn't need to be moved.",
    )
    (draft,) = corrections(EDIT, DONE, words, defended)
    assert draft.resolution == ""
    explained = (
        "assistant",
        "The dump function only writes what `parser.py` returns, so `src/debug.py` calls it.",
    )
    (draft,) = corrections(EDIT, DONE, words, explained)
    assert draft.resolution.startswith("The agent's account: ")
    done = (
        "assistant",
        "Moved the dump function from `src/debug.py` to `parser.py` because the parser calls it.",
    )
    (draft,) = corrections(EDIT, DONE, words, done)
    assert draft.resolution.startswith("What the agent then did, by its own account: ")
    (draft,) = corrections(
        EDIT, DONE, words, done, ("user", "ok"), DONE, ("user", "no, `parser.py` is wrong!")
    )[:1]
    assert draft.resolution == ""  # taken back two turns later


def test_a_wish_that_the_next_turn_takes_back_is_not_kept():
    words = ("user", "No, we don't want this in `src/debug.py`, the dump function should be duplicated.")
    (draft,) = corrections(EDIT, DONE, words, DONE, ("user", "thanks, now the docs"))
    assert "duplicated" in draft.content
    assert corrections(EDIT, DONE, words, DONE, ("user", "actually, can you revert that?")) == []


def test_what_is_reported_without_a_cure_names_the_task_and_is_called_a_report():
    (draft,) = corrections(DONE, ("user", "No, the `Dump` button still does not work."))
    assert draft.memory_type == "error"
    assert draft.content == "In shop, a person reported: No, the `Dump` button still does not work."
    assert draft.context.startswith("A person had asked or reported: Add logging to the cart.")


def test_output_that_a_person_pastes_corrects_nobody():
    pasted = (
        "insmod: ERROR: could not insert module x.ko: Invalid module format\ninsmod: ERROR: not supported"
    )
    assert corrections(EDIT, DONE, ("user", pasted)) == []


def test_a_correction_that_names_nothing_of_the_agents_stands_with_what_was_asked_before():
    words = "No, use one list for both, not two lists."
    (draft,) = corrections(("assistant", "Done."), ("user", words))
    assert "Add logging to the cart." in draft.context


def test_a_drawing_is_nothing_that_the_agent_said():
    drawn = (
        "assistant",
        "The design:\n\n┌─────── a new file for this logging helper ───────┐\n│ every module │\n└────┘\n\n"
        + DONE[1],
    )
    (draft,) = corrections(EDIT, drawn, ("user", "No man, we don't want a new file for this logging helper."))
    assert "helper class" in draft.context and "┌" not in draft.context
