"""What a candidate is told as."""

from ultron_core.lessons.candidates.candidate import Candidate
from ultron_core.lessons.candidates.passages import passages_of
from ultron_core.lessons.candidates.told import told


def turn(before):
    return Candidate("turn", "person", "Keep the sync command as it is.", 1, 2, 2, answers=before)


def test_what_a_turn_answers_is_told_from_its_end_and_from_a_whole_word_on():
    long = " ".join(f"word{number}" for number in range(100))
    _, context, _ = told(turn(f"{long} Shall I change the sync command too?"))
    assert context.startswith("The agent had said: …word")
    assert context.endswith("Shall I change the sync command too?")
    assert told(turn("Shall I?"))[1] == "The agent had said: Shall I?"


def test_a_heading_in_bold_behind_its_number_is_told_without_marks():
    (passage,) = passages_of(
        "### 1. **The renderer does too much**\n\nIt draws, reads keys and keeps sessions."
    )
    assert passage.head == "1. The renderer does too much"
