"""An agent's message as sentences, each with what leads to it."""

import pytest

from ultron_core.lessons.findings.answers import parts_of

ANSWER = """## What was wrong

The cause is this:
- `flush()` is never called, so the numbers are lost.
- **Fix**: `stop()` calls it now. It waits for the queue.

| a | b |
```python
flush()
```
**根本原因**
缓存没有刷新，所以页面显示旧的数据。
ok
"""


def test_headings_leading_lines_and_labels_go_with_their_sentences():
    lost, fix, waits, stale = [part for part in parts_of(ANSWER) if part.text[-1] not in ":："]
    assert (lost.heading, lost.lead, lost.point) == ("What was wrong", "The cause is this", True)
    assert (fix.label, waits.label) == ("Fix", "")
    assert (stale.heading, stale.lead, stale.point) == ("根本原因", "", False)
    assert lost.section == fix.section == waits.section != stale.section
    assert fix.line == waits.line == lost.line + 1


def test_every_quote_stands_where_it_says():
    for part in parts_of(ANSWER):
        assert ANSWER[part.begin :].startswith(part.quote)


def test_code_tables_and_single_words_are_left_out():
    assert not any(
        "flush()\n" in part.text or "|" in part.text or part.text == "ok" for part in parts_of(ANSWER)
    )


@pytest.mark.parametrize(
    "line",
    ["sudo nginx -t", "ps aux | grep next | grep -v grep", "cat /etc/hosts 2>/dev/null | head"],
)
def test_a_line_that_is_typed_into_a_shell_says_nothing(line):
    said = "The cache of the server is never emptied."
    assert [part.text for part in parts_of(f"{line}\n\n{said}")] == [said]


@pytest.mark.parametrize(
    "line",
    [
        "The script kills its own shell, as `ps aux | grep next` also matches the search.",
        "docker containers are re-created on every deploy, so the uploads of people are lost",
        "The worker loses the last batch on exit, `flush()` never runs (worker.py:42)",
        "Warning: the cache is never flushed when the worker stops.",
    ],
)
def test_a_sentence_that_speaks_of_a_command_stays(line):
    assert len(parts_of(line)) == 1


def test_a_point_that_is_set_in_knows_the_points_and_lines_above_it():
    said = (
        "The module has three parts:\n"
        "- **Queue and workers**\n"
        "  - a priority queue with at most three running tasks\n"
        "- **存储层**：\n"
        "  - 所有状态都会异步保存到数据库\n\n"
        "The tests of all three are slow.\n"
        "1. The retry manager is never called.\n"
    )
    leads = {part.text: part.leads for part in parts_of(said)}
    assert leads["a priority queue with at most three running tasks"] == (
        "The module has three parts",
        "Queue and workers",
    )
    assert leads["所有状态都会异步保存到数据库"][-1] == "存储层"
    assert leads["The tests of all three are slow."] == leads["The retry manager is never called."] == ()


def test_what_is_set_in_below_a_point_leads_to_none_of_its_neighbours():
    said = (
        "There are two causes:\n"
        "- Cache layer:\n"
        "  - the keys of two users are the same\n"
        "- The retry manager is never called anywhere.\n\n"
        "1. The store has two parts.\n"
        "   Both of them are slow for these reasons:\n"
        "   - one file is written for each day\n"
        "2. The table `cache.db` is emptied at midnight.\n"
    )
    leads = {part.text: part.leads for part in parts_of(said)}
    assert leads["the keys of two users are the same"] == ("There are two causes", "Cache layer")
    assert leads["The retry manager is never called anywhere."] == ("There are two causes",)
    assert leads["one file is written for each day"][-1] == "Both of them are slow for these reasons"
    assert leads["The table `cache.db` is emptied at midnight."] == ()


def test_a_heading_stands_below_those_of_fewer_marks():
    said = (
        "## Queue\n\n### Status: solid\n\nThe lock is held by one worker.\n\n**Cause**\nThe timer is never stopped.\n\n"
        "## Store\n\nAll states are written at once.\n"
    )
    assert [part.headings for part in parts_of(said)] == [
        ("Queue", "Status: solid"),
        ("Queue", "Status: solid", "Cause"),
        ("Store",),
    ]
