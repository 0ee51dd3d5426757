"""A statement that two places bear out is surer than one that stands alone."""

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.people.confirmed import confirm
from ultron_core.models import Evidence, MemoryDraft
from ultron_core.transcript.actions import read_actions

FACT = "The billing library is at ../../billing-lib."
DRAFT = MemoryDraft(FACT, tags=("fact",), confidence=0.6, evidence=(Evidence(1, 1, FACT),))


def confirmed(*turns):
    messages = talk(("user", FACT), *turns)
    return messages, confirm(DRAFT, messages, read_actions(messages))


def test_what_a_tool_showed_bears_a_statement_out():
    messages, draft = confirmed((bash("cat go.work"), "use (\n\t../../billing-lib\n)"))
    assert draft.confidence == 0.75 and draft.tags == ("fact", "confirmed")
    assert draft.evidence[1].quote == "../../billing-lib"
    assert gate_draft(draft, messages) is None


def test_so_does_the_person_in_another_turn():
    _, draft = confirmed(("assistant", "Which one?"), ("user", "the one in ../../billing-lib, as I said"))
    assert draft.evidence[1].start_line == 3


def test_a_failure_and_the_agents_own_words_bear_nothing_out():
    failed = (bash("ls ../../billing-lib"), "ls: ../../billing-lib: No such file or directory\nExit code 1")
    assert confirmed(failed)[1] == DRAFT
    assert confirmed(("assistant", "It is in ../../billing-lib."))[1] == DRAFT
