"""What failed again and again, and a model that broke off."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.errors.persisting import find_breaks, find_persisting
from ultron_core.transcript.actions import read_actions


def persisting(*turns):
    messages = talk(*turns)
    return find_persisting(messages, read_actions(messages))


def query(text, answer):
    return ("execute_sql", {"query": text}), answer


def test_three_tries_that_fail_in_the_same_way():
    tries = [
        query(f"SELECT {name} FROM cars", f"Error executing query: Unknown column '{name}' in 'field list'")
        for name in ("Maker", "Model", "ModelId")
    ]
    (draft,) = persisting(*tries)
    assert draft.content == (
        "`execute_sql` failed 3 times in the same way: "
        "Error executing query: Unknown column 'ModelId' in 'field list'"
    )
    assert (
        draft.context
        == "Tried: `SELECT Maker FROM cars`; `SELECT Model FROM cars`; `SELECT ModelId FROM cars`."
    )
    assert draft.resolution == "Not resolved in this session."
    assert persisting(*tries[:2]) == []


def test_a_call_that_works_in_the_end_is_not_persisting():
    timed_out = [(bash(f"ping {host}"), "Command timed out") for host in ("a.org", "b.org", "c.org")]
    assert len(persisting(*timed_out)) == 1
    assert persisting(*timed_out, (bash("ping -c 1 d.org"), "1 packets transmitted, 1 received")) == []


def test_searches_and_values_of_a_test_are_left_to_others():
    assert persisting(*[(("Read", {"path": f"{n}.py"}), "Error: File does not exist.") for n in "abc"]) == []
    failing = (bash("pytest"), "FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed in 0.1s")
    assert persisting(failing, failing, failing) == []


def test_a_model_that_breaks_off_goes_on_when_told_so():
    broke = ("assistant", 'API Error: 500 {"type":"error","error":{"message":"Internal server error"}}')
    turns = (broke, ("user", "proceed"), ("assistant", "Now the callers."), broke, ("user", "proceed"))
    (draft,) = find_breaks(talk(*turns))
    assert draft.content.startswith("The model behind the agent broke off 2 times: API Error: 500")
    assert draft.resolution == 'It went on with the work when told "proceed".'
    assert find_breaks(talk(broke, ("user", "proceed"))) == []
