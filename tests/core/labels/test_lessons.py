"""What makes a segment worth learning from, apart from how it went."""

from ultron_core.labels import is_memory_eligible, label_segment
from ultron_core.memories import extract_memories


def search(number, query, output):
    call = {"id": f"c{number}", "function": {"name": "search", "arguments": {"input": query}}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output},
    ]


def test_a_lookup_that_found_nothing_before_one_that_did():
    page = "Ian Hunter is an English singer who led the band Mott the Hoople. " * 5
    question = {"role": "user", "content": "Who led the band Mott the Hoople?"}
    nothing = "Could not find [Ian Hunter]. Similar: ['Ian Hunter (singer)']"
    talk = [question, *search(1, "Ian Hunter", nothing), *search(2, "Ian Hunter (singer)", page)]
    assert "lesson_lookup" in label_segment(talk).metrics
    assert "lesson_lookup" not in label_segment(talk[:3]).metrics


def test_effort_without_a_memory_does_not_pass_the_memory_gate():
    """Errors, repetition and failure are not lessons by themselves: there must be a memory to keep."""
    turns = [turn for n in range(4) for turn in search(n, f"flight {n}", "error: no seat left")]
    label = label_segment([{"role": "user", "content": "Book a seat."}, *turns])
    assert {name for name in label.metrics if name.startswith("lesson_")} == set()
    assert not is_memory_eligible(label).ok


def test_a_lesson_that_the_draft_gate_refuses_does_not_count():
    order = "From now on always send the letters to my home address."
    talk = [{"role": "user", "content": order}, {"role": "assistant", "content": "I will."}]
    assert extract_memories(talk) != []
    assert "lesson_preference" not in label_segment(talk).metrics
