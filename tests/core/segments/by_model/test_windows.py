"""The window rule of the spec, its worked cases in both directions, and what packing costs."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ultron_core.models import Message
from ultron_core.segments.by_model.shown import ShownThread
from ultron_core.segments.by_model.windows import Task, Window, cut_by_windows


def asker(answers):
    """A model that divides windows as told: (start, end) 1-based inclusive -> list of such ranges."""
    seen = []

    def ask(window):
        key = (window.start + 1, window.end)
        seen.append(key)
        return [Task(s - 1, e, f"{s}-{e}") for s, e in answers[key]]

    return ask, seen


def ranges(tasks):
    return [(t.start + 1, t.end) for t in tasks]


def test_several_tasks_the_next_window_starts_at_the_last_one():
    # spec: first window 1-6 -> A = 1-3, B = 4-6; the next window is 4-10, B becomes 4-7 and C = 8-10
    costs = [10, 10, 10, 20, 20, 20, 5, 5, 5, 5]
    ask, seen = asker({(1, 6): [(1, 3), (4, 6)], (4, 10): [(4, 7), (8, 10)]})
    assert ranges(cut_by_windows(costs, 90, ask)) == [(1, 3), (4, 7), (8, 10)]
    assert seen == [(1, 6), (4, 10)]


def test_one_task_the_next_window_starts_behind_it():
    # spec: the first window 1-6 is a single task, the next window starts at 7
    ask, seen = asker({(1, 6): [(1, 6)], (7, 10): [(7, 10)]})
    assert ranges(cut_by_windows([1] * 10, 6, ask)) == [(1, 6), (7, 10)]
    assert seen == [(1, 6), (7, 10)]


def test_the_second_look_may_also_confirm_the_first():
    ask, seen = asker({(1, 6): [(1, 3), (4, 6)], (4, 9): [(4, 6), (7, 9)], (7, 10): [(7, 10)]})
    assert ranges(cut_by_windows([1] * 10, 6, ask)) == [(1, 3), (4, 6), (7, 10)]
    assert len(seen) == 3


def test_a_task_longer_than_a_window_goes_on_behind_it():
    ask, _ = asker({(1, 6): [(1, 2), (3, 6)], (3, 8): [(3, 8)], (9, 10): [(9, 10)]})
    assert ranges(cut_by_windows([1] * 10, 6, ask)) == [(1, 2), (3, 8), (9, 10)]


def test_a_lone_message_over_the_budget_is_sent_alone_and_shortened():
    windows = []

    def ask(window):
        windows.append((window.start, window.end, window.shortened))
        return [Task(window.start, window.end, "")]

    assert len(cut_by_windows([1, 100, 1, 1], 3, ask)) == 3
    assert windows == [(0, 1, False), (1, 2, True), (2, 4, False)]


def test_the_edge_of_a_window_never_parts_a_call_from_its_result():
    ask, _ = asker({(1, 4): [(1, 4)], (5, 8): [(5, 8)]})
    assert ranges(cut_by_windows([1] * 8, 5, ask, closed={5})) == [(1, 4), (5, 8)]


def test_a_boundary_inside_a_call_moves_to_the_call_and_says_so():
    ask, _ = asker({(1, 6): [(1, 3), (4, 6)]})
    first, second = cut_by_windows([1] * 6, 6, ask, closed={2, 3})
    assert (first.end, second.start) == (1, 1)
    assert "tool call" in second.repair and first.repair == ""


def test_tasks_that_lie_within_one_call_become_one():
    ask, _ = asker({(1, 4): [(1, 1), (2, 2), (3, 4)]})
    assert ranges(cut_by_windows([1] * 4, 4, ask, closed={1, 2, 3})) == [(1, 4)]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=40), st.data())
@settings(deadline=None)
def test_tasks_tile_whatever_the_model_says(costs, data):
    closed = data.draw(st.sets(st.integers(1, max(len(costs) - 1, 1)), max_size=6))

    def ask(window):
        cuts = data.draw(
            st.sets(st.integers(window.start + 1, max(window.end - 1, window.start + 1)), max_size=3)
        )
        starts = [window.start, *sorted(c for c in cuts if c < window.end)]
        return [Task(s, e, "") for s, e in zip(starts, [*starts[1:], window.end], strict=True)]

    tasks = cut_by_windows(costs, 12, ask, closed)
    assert [t.start for t in tasks] == [0, *(t.end for t in tasks[:-1])]
    assert tasks[-1].end == len(costs)
    assert not {t.start for t in tasks} & closed


def test_calls_stay_within_twice_the_minimum_when_no_task_is_longer_than_half_a_window():
    size, window, task = 2000, 100, 50
    calls = []

    def ask(w):
        calls.append(w)
        cuts = sorted({w.start, *(c for c in range(0, size, task) if w.start < c < w.end)})
        return [Task(s, e, "") for s, e in zip(cuts, [*cuts[1:], w.end], strict=True)]

    assert len(cut_by_windows([1] * size, window, ask)) == size // task
    assert len(calls) <= 2 * size // window


def test_a_secret_whose_name_is_cut_off_is_not_shown():
    value = "9fe11cba233e05421a8dcb05e73638c0a983df77"
    said = Message("tool", f'{"x" * 200}\ncloudflare_token: "{value}"{"y" * 10}', start_line=1, end_line=1)
    shown = ShownThread([said], len)
    text = shown.text(Window(0, 1), 10_000)
    assert "cut…" in text and value not in text and "<REDACTED_CREDENTIAL>" in text
