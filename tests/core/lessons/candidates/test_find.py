"""Which passages of a session are candidates, with their source, author and what they answer."""

from ultron_core.lessons.candidates.find import find_candidates
from ultron_core.models import Message, ToolCall, as_messages
from ultron_core.transcript.actions import read_actions


def person(text):
    return Message("user", text, origin="human")


def agent(text, *calls):
    return Message("assistant", text, calls, origin="model")


def result(call_id, text, is_error=False):
    return Message("tool", text, tool_call_id=call_id, is_error=is_error, origin="tool")


def call(number, name, **arguments):
    return ToolCall(f"c{number}", name, arguments)


def found(messages):
    return find_candidates(messages, read_actions(messages))


TASK = as_messages(
    [
        Message("system", "You are a careful agent who writes long answers.", origin="harness"),
        person("Please repair the tests of the parser."),
        agent("I run the tests of the parser first.", call(1, "Bash", command="pytest tests/parser")),
        result("c1", "ModuleNotFoundError: No module named 'yaml'\nexit code 1", is_error=True),
        agent(
            "The parser needs a package that is not installed.", call(2, "Bash", command="pip install pyyaml")
        ),
        result("c2", "Successfully installed pyyaml-6.0"),
        agent("", call(3, "Bash", command="pytest tests/parser")),
        result("c3", "2 passed in 0.1s"),
        agent("The tests pass. PyYAML was missing from the environment."),
        person("From now on add every package to requirements.txt as well."),
        agent("I will keep requirements.txt in step with what I install."),
    ]
)


def test_closings_remarks_and_turns_have_their_source_and_author():
    told = {one.text: (one.source, one.author, one.start_line) for one in found(TASK)}
    assert told["The tests pass. PyYAML was missing from the environment."] == ("closing", "agent", 9)
    assert told["The parser needs a package that is not installed."] == ("remark", "agent", 5)
    assert told["From now on add every package to requirements.txt as well."] == ("turn", "person", 10)


def test_a_closing_knows_what_it_answers():
    closing = next(one for one in found(TASK) if one.source == "closing")
    assert closing.answers == "Please repair the tests of the parser."


def test_a_cure_names_the_failure_the_changes_and_the_run_that_passed():
    (cure,) = [one for one in found(TASK) if one.source == "cure"]
    assert cure.text == "ModuleNotFoundError: No module named 'yaml'"
    assert cure.answers == "pytest tests/parser"
    assert (cure.start_line, cure.end_line) == (4, 8)
    assert [TASK[place].content for place in (cure.proof[0], cure.proof[-1])] == [
        TASK[3].content,
        "2 passed in 0.1s",
    ]


def test_a_failure_without_a_cure_tells_nothing():
    assert not [one for one in found(TASK[:4]) if one.author == "tool"]


def test_an_answer_to_a_question_is_the_persons_choice():
    messages = as_messages(
        [
            person("Set up the store for me, please."),
            agent(
                "", call(1, "AskUserQuestion", questions=[{"question": "Which store do you want to use?"}])
            ),
            result("c1", 'User has answered: "Which store do you want to use?"="Redis"'),
        ]
    )
    (choice,) = [one for one in found(messages) if one.source == "choice"]
    assert choice.author == "person" and "Redis" in choice.text and "Which store" in choice.answers


def test_system_prompts_and_recalled_memories_give_none():
    messages = as_messages(
        [
            Message("system", "Always answer in English and never in French.", origin="harness"),
            Message("user", "Notes from earlier sessions say that the port is 5432.", origin="recalled"),
        ]
    )
    assert found(messages) == []
