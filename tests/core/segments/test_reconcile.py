"""Reconcile: a stored segment keeps its id as long as its text is there, whatever happens around it."""

from collections import Counter
from dataclasses import dataclass
from uuid import UUID, uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from ultron_core.models import Segment
from ultron_core.segments import StoredSegment, reconcile


def fresh(*prints, thread="main"):
    return [Segment(i, i + 1, "t", p, thread=thread) for i, p in enumerate(prints)]


def stored(*prints, thread="main"):
    seen = Counter()
    rows = []
    for p in prints:
        rows.append(StoredSegment(uuid4(), thread, p, seen[p]))
        seen[p] += 1
    return rows


def applied(old, new):
    """What the store holds after the plan is carried out: (thread, fingerprint, occurrence) -> id or None."""
    plan = reconcile(old, new)
    rows = [((o.thread, o.fingerprint, o.occurrence), o.id) for o, _ in plan.kept]
    rows += [((i.segment.thread, i.segment.fingerprint, i.occurrence), None) for i in plan.inserted]
    assert len(dict(rows)) == len(rows), "the unique key holds"
    return dict(rows)


def test_append_keeps_closed_segments_and_replaces_the_open_one():
    old = stored("a", "b", "c1")
    plan = reconcile(old, fresh("a", "b", "c2", "d"))
    assert [(o.id, n.start) for o, n in plan.kept] == [(old[0].id, 0), (old[1].id, 1)]
    assert plan.removed == (old[2],)
    assert [(i.segment.fingerprint, i.occurrence) for i in plan.inserted] == [("c2", 0), ("d", 0)]


def test_identical_tasks_are_told_apart_by_occurrence():
    old = stored("a", "a", "b")
    plan = reconcile(old, fresh("a", "b", "a", "a"))
    assert [(o.id, n.start) for o, n in plan.kept] == [(old[0].id, 0), (old[2].id, 1), (old[1].id, 2)]
    assert [(i.segment.start, i.occurrence) for i in plan.inserted] == [(3, 2)]


def test_one_of_two_identical_tasks_goes():
    old = stored("a", "a")
    plan = reconcile(old, fresh("a"))
    assert [o.id for o, _ in plan.kept] == [old[0].id]
    assert plan.removed == (old[1],)


def test_a_gap_in_the_numbers_is_filled():
    lone = StoredSegment(UUID(int=1), "main", "a", 1)
    assert [i.occurrence for i in reconcile([lone], fresh("a", "a", "a")).inserted] == [0, 2]


def test_the_same_text_in_another_thread_is_another_segment():
    old = stored("a", thread="side")
    plan = reconcile(old, fresh("a"))
    assert plan.kept == ()
    assert plan.removed == tuple(old)


def test_any_object_with_the_three_members_will_do():
    @dataclass
    class Row:
        thread: str
        fingerprint: str
        occurrence: int

    row = Row("main", "a", 0)
    assert reconcile([row], fresh("a")).kept[0][0] is row


prints = st.lists(st.sampled_from("abcde"), max_size=8)


@st.composite
def edits(draw):
    """A session before and after an append, prepend, insert, truncation, reorder or duplication."""
    before, more = draw(prints), draw(prints)
    place = draw(st.integers(0, len(before)))
    after = draw(
        st.sampled_from(
            [
                before + more,
                more + before,
                before[:place] + more + before[place:],
                before[:place],
                before[place:] + before[:place],
                before + before,
                list(reversed(before)),
                more,
            ]
        )
    )
    return before, after


@given(edits())
@settings(deadline=None)
def test_after_reconcile_the_store_equals_a_fresh_segmentation(edit):
    before, after = edit
    old, new = stored(*before), fresh(*after)
    rows = applied(old, new)
    assert set(rows) == {(s.thread, s.fingerprint, s.occurrence) for s in stored(*after)}
    kept_ids = [i for i in rows.values() if i is not None]
    assert len(kept_ids) == sum((Counter(before) & Counter(after)).values()), "as many ids live on as can"
    plan = reconcile(old, new)
    assert {o.id for o in plan.removed} | set(kept_ids) == {o.id for o in old}, "nothing is orphaned"


@given(prints)
@settings(deadline=None)
def test_the_same_session_again_changes_nothing(same):
    old = stored(*same)
    plan = reconcile(old, fresh(*same))
    assert plan.removed == () and plan.inserted == ()
    assert Counter(o.id for o, _ in plan.kept) == Counter(o.id for o in old)
