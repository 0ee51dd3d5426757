import pytest

from tests.core.labels.talks import CHINESE_SOLVED, FAILED, SOLVED, calls, result, says, user
from ultron_core.labels.signals import observe, was_accepted, words
from ultron_core.models import as_messages
from ultron_core.transcript.dialogue import read_dialogue


def signals(*messages):
    return observe(read_dialogue(as_messages(messages)))


def answered_with(text):
    return signals(user("Make the list sorted, please."), says("I sorted the list by name."), user(text))


@pytest.mark.parametrize("talk", [SOLVED, CHINESE_SOLVED])
def test_an_error_is_solved_by_the_next_good_result_of_the_same_tool(talk):
    found = signals(*talk)
    assert found.solved == ((2, 6),)
    assert found.unsolved == ()
    assert found.tests == "passed"


def test_an_error_that_stays_is_unsolved():
    found = signals(*FAILED)
    assert found.solved == ()
    assert found.unsolved == (6,)
    assert found.ends_in_error


@pytest.mark.parametrize(
    "text", ["That works now!", "lgtm, ship it", "The bug is fixed", "可以了，谢谢", "搞定"]
)
def test_acceptance(text):
    assert answered_with(text).accepted == (2,)


@pytest.mark.parametrize("text", ["Thank you for your help!", "Great, thanks.", "太好了，谢谢你"])
def test_thanks_alone_are_no_acceptance(text):
    found = answered_with(text)
    assert found.thanks == (2,)
    assert found.accepted == ()


@pytest.mark.parametrize(
    "text",
    [
        "No, use the date.",
        "That's wrong.",
        "it still doesn't work",
        "Not what I asked",
        "不对，应该按日期",
        "还是不行",
    ],
)
def test_rejection(text):
    assert answered_with(text).rejections == (2,)


@pytest.mark.parametrize(
    "text", ["No, thank you.", "No, that's all for now.", "No problem!", "Now sort it by date"]
)
def test_a_polite_no_is_no_rejection(text):
    assert answered_with(text).rejections == ()


@pytest.mark.parametrize(
    "text", ["Great, it works now!", "搞定了", "Thanks!", "No, that is not it.", "that fixed it " * 60]
)
def test_acceptance_is_the_same_for_one_who_asks_for_nothing_else(text):
    talk = (user("Make the list sorted, please."), says("I sorted the list by name."), user(text))
    assert was_accepted(as_messages(talk)) == bool(signals(*talk).accepted)
    # words of acceptance in the request are about no work that was done
    assert not was_accepted(as_messages((user(text), says("Sorted."))))


def test_acceptance_is_found_without_the_network(monkeypatch):
    monkeypatch.setattr("ultron_core.labels.signals.read_moves", None)
    talk = (user("Make the list sorted, please."), says("I sorted the list."), user("Great, it works now!"))
    assert was_accepted(as_messages(talk))


def test_the_first_request_and_a_pasted_document_are_no_verdict():
    assert signals(user("That's wrong in the docs: mend it."), says("Mended.")).rejections == ()
    long = "The report says: that works now. " + "More about the report follows here. " * 20
    assert answered_with(long).accepted == ()


@pytest.mark.parametrize(
    "text", ["From now on answer briefly.", "Always use uv here.", "以后都用中文回答", "我习惯用四个空格缩进"]
)
def test_standing_wishes_count_from_the_first_message_on(text):
    assert signals(user(text), says("All right.")).preferences == (0,)


@pytest.mark.parametrize(
    "text", ["我看到一件我喜欢的夹克，多少钱？", "复杂度应该是O(n)", "By default it is off, right?"]
)
def test_tastes_and_facts_of_the_task_are_no_standing_wish(text):
    assert signals(user(text), says("All right.")).preferences == ()


def test_a_call_that_the_person_refused_is_a_rejection():
    found = signals(
        user("clean up"),
        calls("bash", "c1", command="rm old.txt"),
        result("c1", "The user doesn't want to proceed with this tool use.", is_error=True),
    )
    assert found.rejections == (2,)


def test_the_same_call_with_the_same_answer_is_a_repetition_but_a_passing_check_is_not():
    search = [calls("search", "c1", q="x"), result("c1", "A page about something else.")]
    assert signals(user("find x"), *search, *search).repeated == (4,)
    check = [calls("bash", "c1", command="pytest"), result("c1", "5 passed")]
    assert signals(user("check"), *check, *check).repeated == ()


def test_a_limit_that_ends_the_work_is_seen_only_at_the_end():
    limit = {"role": "tool", "name": "agent", "content": "Only 4 reflections allowed, stopping."}
    assert signals(user("fix it"), says("I try."), limit).stopped == (2,)
    assert signals(user("fix it"), limit, says("Still at it.")).stopped == ()


def test_dangers_are_commands_that_ran_not_ones_spoken_about():
    assert signals(user("tidy"), calls("bash", "c1", command="rm -rf ~/")).dangers == (1,)
    assert signals(user("tidy"), says("Never run rm -rf ~/ there.")).dangers == ()


def test_secrets_are_seen_in_any_message():
    assert signals(user("my key is ghp_" + "a1B2" * 9), says("Remove it at once.")).secrets == (0,)
    assert signals(user("commit 9fceb02d0ae598e95dc970b74767f19372d61af8"), says("ok")).secrets == ()


def test_each_chinese_character_is_a_word():
    assert words("Sort 列表 by 3.5") == ["sort", "列", "表", "by", "3.5"]


DONE = (user("Sort the list, please."), says("I sorted the list by name."))


@pytest.mark.parametrize(
    "closing", [(), ("thanks!",), ("did you push?", "yes please")], ids=["nothing", "thanks", "questions"]
)
def test_what_only_closes_leaves_an_acceptance_standing(closing):
    talk = [*DONE, user("wow, it works")]
    for text in closing:
        talk += [says("Yes."), user(text)]
    assert signals(*talk).settled_at == 2


@pytest.mark.parametrize("more", ["still the wrong order", "Now sort the other list by date."])
def test_more_work_behind_an_acceptance_settles_nothing(more):
    assert signals(*DONE, user("wow, it works"), says("Great."), user(more)).settled_at == -1


def test_an_order_to_commit_settles_it():
    assert signals(*DONE, user("Thanks! Please write a commit message for this.")).settled_at == 2
    assert signals(user("Sort the list and commit it."), says("Done.")).settled_at == -1
