"""What other rules draw from the agent's words is weighed by the model, unless a check or a person bears it out."""

import dataclasses

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.findings.find import find_findings
from ultron_core.lessons.findings.listen import read_answers
from ultron_core.lessons.findings.reader import load_answer_model
from ultron_core.lessons.findings.weigh import by_line, is_told_by, is_weighed, worth_of
from ultron_core.lessons.reading import read_segment
from ultron_core.lessons.registry import lessons_of
from ultron_core.models import Evidence, MemoryDraft

CAUSE = "The root cause: `flush()` is never called when the worker stops, so the statistics are lost."
STEP = "Let me look at `worker.py` first."
MESSAGES = talk(
    ("user", "Why are the last numbers missing?"),
    (bash("cat worker.py"), "def stop(): ..."),
    ("assistant", f"{STEP} {CAUSE}"),
)
READING = read_segment(MESSAGES, "unknown", "shop")
MODEL = dataclasses.replace(load_answer_model(), bound=0.05, remark=0.05)
JUDGED = [MODEL.judge(one) for one in read_answers(READING.messages, READING.actions, READING.turns)]


def draft(quote, *tags, resolution=""):
    line = MESSAGES[-1].start_line
    return MemoryDraft(quote, resolution=resolution, tags=tags, evidence=(Evidence(line, line, quote),))


def test_an_account_is_weighed_and_what_is_borne_out_is_not():
    assert is_weighed(draft(CAUSE, "cause")) and is_weighed(draft(CAUSE, "bug", "claimed"))
    assert not is_weighed(draft(CAUSE, "bug", "accepted"))
    assert not is_weighed(draft(CAUSE, "cause", resolution="It worked after running `make`."))
    assert not is_weighed(draft(CAUSE, "preference"))


def test_a_cause_is_worth_more_than_a_step():
    lines = by_line(JUDGED)
    assert worth_of(draft(CAUSE, "cause"), lines) > 2 * worth_of(draft(STEP, "cause"), lines)
    assert worth_of(draft("words of nobody", "cause"), lines) is None


def test_what_a_finding_tells_is_not_told_again():
    found = find_findings(JUDGED, MODEL)
    assert is_told_by(draft(CAUSE, "cause"), found)
    assert not is_told_by(draft(STEP, "cause"), found)


def test_the_registry_drops_what_is_worth_little_and_what_is_told_twice():
    strict = dataclasses.replace(load_answer_model(), bound=1.0, remark=1.0, least=1.0)
    without = [one.draft for one in lessons_of(READING, None, None)]
    assert any(CAUSE in one.content for one in without)
    assert not any(CAUSE in one.draft.content for one in lessons_of(READING, None, strict))
    both = [one.draft for one in lessons_of(READING, None, MODEL) if "never called" in one.draft.content]
    assert len(both) == 1 and both[0].tags[0] == "finding"


def test_in_a_log_of_one_line_an_account_is_weighed_by_its_own_message():
    said = [*MESSAGES, *talk(("user", "thanks"), ("assistant", "You are welcome."))]
    reading = read_segment(
        [dataclasses.replace(m, start_line=1, end_line=1) for m in said], "unknown", "shop"
    )
    judged = [MODEL.judge(one) for one in read_answers(reading.messages, reading.actions, reading.turns)]
    account = MemoryDraft(CAUSE, tags=("cause",), evidence=(Evidence(1, 1, CAUSE),))
    assert worth_of(account, by_line(judged)) is not None


def test_what_the_agent_settled_is_its_account():
    assert is_weighed(draft(CAUSE, "decision", "settled"))
    assert not is_weighed(draft(CAUSE, "decision"))
