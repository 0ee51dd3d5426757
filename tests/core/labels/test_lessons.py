"""What makes a segment worth learning from, apart from how it went."""

from tests.core.labels.talks import RULED, SOLVED, calls, result, says, user
from ultron_core.labels import is_memory_eligible, label_segment
from ultron_core.labels.lessons import lessons_of, memory_score
from ultron_core.memories import extract_memories
from ultron_core.models import Evidence, MemoryDraft, as_messages


def search(number, query, output):
    call = {"id": f"c{number}", "function": {"name": "search", "arguments": {"input": query}}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output},
    ]


def test_a_wish_for_good_is_a_lesson_and_an_order_of_the_moment_is_none():
    label = label_segment(RULED)
    assert label.metrics["lesson_turn"].lines == (9,)
    assert is_memory_eligible(label).ok
    assert "lesson_turn" not in label_segment([*SOLVED, user("Now run the tests again.")]).metrics


def test_each_kind_of_lesson_adds_to_the_score():
    forced = [calls("bash", "c9", command="git push --force origin main"), result("c9", "done")]
    both = label_segment([*RULED, *forced])
    assert {name for name in both.metrics if name.startswith("lesson_")} == {"lesson_turn", "lesson_security"}
    assert both.summary.memory_score > label_segment(RULED).summary.memory_score


def test_the_project_decides_nothing():
    named, alone = label_segment(RULED, project="shop"), label_segment(RULED)
    assert named.summary.memory_score == alone.summary.memory_score >= 0.7
    assert [name for name in named.metrics if name.startswith("lesson_")] == ["lesson_turn"]


def test_effort_without_a_memory_does_not_pass_the_memory_gate():
    """Errors, repetition and failure are not lessons by themselves: there must be a memory to keep."""
    turns = [turn for n in range(4) for turn in search(n, f"flight {n}", "error: no seat left")]
    label = label_segment([{"role": "user", "content": "Book a seat."}, *turns])
    assert {name for name in label.metrics if name.startswith("lesson_")} == set()
    assert not is_memory_eligible(label).ok


def test_a_lesson_that_the_draft_gate_refuses_does_not_count():
    order = "From now on always send the letters to my home address."
    talk = [*SOLVED, user(order), says("I will.")]
    assert extract_memories(talk) != []
    assert "lesson_turn" not in label_segment(talk).metrics


def test_notes_of_a_model_count_by_their_type_and_their_confidence():
    messages = as_messages(RULED)
    noted = note("preference", "Run the linter before each commit.", 0.8, messages[-2])
    twice = note("error", "The import of the parser failed.", 0.6, messages[0])
    alone = lessons_of([noted])
    assert list(alone) == ["lesson_preference"] and memory_score(alone) == 0.94
    assert memory_score(lessons_of([noted, twice])) > 0.94
    assert memory_score(lessons_of([])) == 0


def note(memory_type, content, confidence, message):
    evidence = Evidence(message.start_line, message.end_line, message.content[:20])
    return MemoryDraft(content, memory_type=memory_type, confidence=confidence, evidence=(evidence,))
