"""One tuple of rules that labels and memories both read."""

import pytest
from pydantic import ValidationError

from tests.core.lessons.builders import bash, talk
from tests.core.lessons.find_promises import find_promises
from ultron_core.labels import is_memory_eligible, label_segment
from ultron_core.labels.judge import LessonJudgement
from ultron_core.lessons import registry
from ultron_core.lessons.registry import RULES, Rule, find_lessons
from ultron_core.memories import extract_memories, gate_draft

PROMISE = talk(
    ("user", "You deployed on a Friday."),
    ("assistant", "I will never again deploy `services/billing` on a Friday."),
)


def test_a_new_kind_takes_a_module_and_a_line(monkeypatch):
    assert not is_memory_eligible(label_segment(PROMISE)).ok
    monkeypatch.setattr(registry, "RULES", (*RULES, Rule(find_promises, "promise", 0.75)))
    label = label_segment(PROMISE)
    assert is_memory_eligible(label).ok
    assert label.metrics["lesson_promise"].lines == (2,)
    (draft,) = extract_memories(PROMISE, label=label)
    assert gate_draft(draft, PROMISE) is None
    assert "promise" in LessonJudgement.model_json_schema()["properties"]["kind"]["enum"]


def test_a_model_may_name_the_kinds_that_the_rules_know_and_no_others():
    schema = LessonJudgement.model_json_schema()
    assert {rule.kind for rule in RULES} == set(schema["properties"]["kind"]["enum"])
    with pytest.raises(ValidationError):
        LessonJudgement(kind="promise", score=0.8)


def test_every_score_reaches_the_memory_gate():
    """A kind below the gate of 0.7 would be looked for and never stored."""
    assert all(0.7 <= rule.score < 1 for rule in RULES)


def test_the_same_words_twice_are_one_lesson():
    push = (bash("git push --force origin main"), "done")
    found = find_lessons(talk(("user", "Publish it."), push, push))
    assert [lesson.kind for lesson in found] == ["security"]


def test_one_sentence_is_one_lesson_of_the_kind_that_teaches_most():
    messages = talk(
        ("user", "Add the provider."),
        (("Edit", {"file_path": "/home/a/shop/src/run.py", "old_string": "a", "new_string": "b"}), "updated"),
        ("assistant", "The provider starts after the agent, as the order of the list says."),
        (
            "user",
            "No, the startup order should be fs -> agent watcher -> agent in `run.py`, not the reverse.",
        ),
    )
    assert [lesson.kind for lesson in find_lessons(messages)] == ["correction"]
