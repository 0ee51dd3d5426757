"""The offline segmenter on small sessions: what starts a segment and what never does."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ultron_core.models import Message, ToolCall
from ultron_core.segments import SEGMENTER_VERSION, segment_messages
from ultron_core.segments.offline.around import LOOK_AHEAD
from ultron_core.segments.offline.cut import can_open, gap_prior, prior
from ultron_core.segments.offline.features import Running
from ultron_core.segments.offline.turns import turns_of
from ultron_core.transcript.pairs import closed_positions


def chat(*turns):
    roles = ("user", "assistant")
    return [{"role": roles[i % 2], "content": text} for i, text in enumerate(turns)]


CSV = (
    "How do I read a CSV file with pandas and skip the first three lines?",
    "Use pandas.read_csv(path, skiprows=3).",
    "And how do I parse the date column while reading it?",
    "Pass parse_dates=['date'] to read_csv.",
)
RECIPE = (
    "Write me a vegetarian lasagna recipe for six people.",
    "Lasagna for six: 500 g spinach, 400 g ricotta, 12 sheets, tomato sauce. Bake 40 minutes.",
    "Can I replace the ricotta with tofu?",
    "Yes, crumble 400 g firm tofu and season it well.",
)
SQL_ZH = (
    "怎样用SQL计算sales表中amount列的平均值？",
    "可以使用 SELECT AVG(amount) FROM sales;",
    "那怎么按月份分组呢？",
    "加上 GROUP BY month 就可以了。",
)
TRIP_ZH = (
    "帮我写一份去成都三天的旅游计划，重点是美食和大熊猫。",
    "第一天宽窄巷子，第二天大熊猫基地，第三天锦里品尝小吃。",
    "第二天大熊猫基地几点开门？",
    "早上七点半开门，建议早到。",
)


def starts(messages):
    return [s.start for s in segment_messages(messages)]


@pytest.mark.parametrize("task", [CSV, RECIPE, SQL_ZH, TRIP_ZH])
def test_one_task_stays_whole(task):
    assert starts(chat(*task)) == [0]


@pytest.mark.parametrize(
    ("first", "second"), [(CSV, RECIPE), (RECIPE, CSV), (SQL_ZH, TRIP_ZH), (TRIP_ZH, SQL_ZH)]
)
def test_another_task_starts_a_segment(first, second):
    segments = segment_messages(chat(*first, *second))
    assert [s.start for s in segments] == [0, 4]
    assert {s.segmenter for s in segments} == {SEGMENTER_VERSION}


def test_only_words_of_a_person_can_start_a_segment():
    messages = [Message(**m) for m in chat(*CSV)]
    harness = [Message("user", text, origin="harness") for text in RECIPE[:1]]
    recalled = [Message("user", text, origin="recalled") for text in RECIPE[:1]]
    result = [Message("user", text, origin="tool") for text in RECIPE[:1]]
    for injected in (harness, recalled, result):
        whole = [*messages, *injected, Message("assistant", RECIPE[1], origin="model")]
        assert [t.position for t in turns_of(whole)] == [0, 2]
        assert starts(whole) == [0]


def test_never_between_a_call_and_its_result():
    call = Message(
        "assistant", "", tool_calls=(ToolCall("c1", "read_file", {"path": "a.csv"}),), origin="model"
    )
    messages = [
        Message("user", CSV[0]),
        call,
        Message("user", RECIPE[0]),
        Message("tool", "a;b;c", tool_call_id="c1", origin="tool"),
        Message("assistant", RECIPE[1], origin="model"),
    ]
    assert closed_positions(messages) == {2, 3}
    assert starts(messages) == [0]


def test_results_are_matched_by_the_latest_call_of_an_id():
    def call(id_):
        return Message("assistant", "", tool_calls=(ToolCall(id_, "f", {}),), origin="model")

    def result(id_):
        return Message("tool", "ok", tool_call_id=id_, origin="tool")

    messages = [call("1"), result("1"), Message("user", "x"), call("1"), result("1")]
    assert closed_positions(messages) == {1, 4}


def test_the_same_messages_give_the_same_segments():
    messages = chat(*CSV, *RECIPE, *SQL_ZH)
    assert segment_messages(messages) == segment_messages(messages)


def test_threads_are_apart_and_in_order_of_appearance():
    main = [Message(**m, thread="main") for m in chat(*CSV, *RECIPE)]
    side = [Message(**m, thread="agent-1") for m in chat(*SQL_ZH)]
    mixed = [m for pair in zip(main, [*side, *side], strict=True) for m in pair][:14]
    segments = segment_messages(mixed)
    assert [s.thread for s in segments if s.start == 0] == ["main", "agent-1"]
    assert [s.start for s in segments if s.thread == "main"] == [0, 4]


def test_a_system_prompt_before_the_request_belongs_to_its_segment():
    prompt = Message("system", "You are a helpful agent.", origin="harness")
    parts = [[Message(**m) for m in chat(*task)] for task in (CSV, RECIPE)]
    assert starts([prompt, *parts[0], prompt, *parts[1]]) == [0, 5]


def test_a_long_pause_counts_and_a_short_one_does_not():
    assert gap_prior(None) == gap_prior(60.0) == 0.0
    assert 0 < gap_prior(3600.0) < gap_prior(12 * 3600.0)


def test_a_remark_that_leans_on_the_text_before_weighs_against_a_cut():
    _, remark = turns_of([Message(**m) for m in chat(CSV[0], CSV[1], "No, revert that.", "Done.")])
    assert prior(remark) < 0


def test_a_retry_of_the_running_request_opens_nothing_unless_the_harness_starts_afresh():
    prompt = Message("system", "You are a helpful agent.", origin="harness")
    once = [Message(**m) for m in chat(*RECIPE)]
    retry = turns_of([*once, *once])[2]
    afresh = turns_of([prompt, *once, prompt, *once])[2]
    running = Running(turns=2, asked=True, texts={RECIPE[0]})
    assert not can_open(retry, running) and can_open(afresh, running)
    assert can_open(retry, Running(turns=2, asked=True, texts={CSV[0]}))


@pytest.mark.parametrize(
    "remark", ["ok", "Yes.", "continue", "thanks!", "###STOP###", "👍", "?", "好的", "继续", "谢谢，再见"]
)
@pytest.mark.parametrize("task", [CSV, SQL_ZH])
def test_an_empty_remark_never_starts_a_segment(remark, task):
    (_, _, turn) = turns_of([Message(**m) for m in chat(*task, remark, "Done.")])
    assert not can_open(turn, Running(turns=2, asked=True))


@pytest.mark.parametrize(
    "text", ["Напиши сортировку слиянием", "旅行の計画を作ってください", "정렬 함수를 작성해 줘"]
)
def test_a_request_in_another_script_may_start_a_segment(text):
    (_, _, turn) = turns_of([Message(**m) for m in chat(*CSV, text, "Done.")])
    assert can_open(turn, Running(turns=2, asked=True))


def test_the_pause_is_read_from_the_timestamps():
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    times = [noon, noon + timedelta(minutes=1), noon + timedelta(hours=9)]
    messages = [
        Message("user", "a question", timestamp=times[0]),
        Message("assistant", "b", timestamp=times[1]),
        Message("user", "c question", timestamp=times[2]),
    ]
    assert [t.gap for t in turns_of(messages)] == [None, 8 * 3600 + 59 * 60]


texts = st.sampled_from([*CSV, *RECIPE, *SQL_ZH, *TRIP_ZH, "thanks", "ok", ""])
message = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "tool", "system"]),
    content=texts,
    thread=st.sampled_from(["main", "main", "main", "side"]),
    tool_calls=st.sampled_from([(), (), (ToolCall("c1", "run", {"x": 1}),)]),
    tool_call_id=st.sampled_from([None, None, None, "c1"]),
    origin=st.sampled_from(["human", "human", "harness", "model", "tool"]),
)


@given(st.lists(message, max_size=24))
@settings(deadline=None, max_examples=60)
def test_segments_tile_every_thread(messages):
    segments = segment_messages(messages)
    order = list(dict.fromkeys(m.thread for m in messages))
    assert list(dict.fromkeys(s.thread for s in segments)) == order
    for thread in order:
        own = [m for m in messages if m.thread == thread]
        mine = [s for s in segments if s.thread == thread]
        assert mine[0].start == 0 and mine[-1].end == len(own)
        assert all(a.end == b.start for a, b in pairwise(mine))
        assert not {s.start for s in mine} & closed_positions(own)


@given(st.lists(st.sampled_from([CSV, RECIPE, SQL_ZH, TRIP_ZH]), min_size=2, max_size=5), st.data())
@settings(deadline=None, max_examples=30)
def test_an_append_only_changes_the_end(tasks, data):
    whole = chat(*(text for task in tasks for text in task))
    cut = data.draw(st.integers(3, len(whole)))
    before = segment_messages(whole[:cut])
    after = segment_messages(whole)
    # the last turn may lack its reply, and the two before it the turns that they are judged by
    turns = turns_of([Message(**m) for m in whole[:cut]])
    open_from = turns[max(len(turns) - LOOK_AHEAD - 1, 0)].position
    assert [s.start for s in before if s.start < open_from] == [s.start for s in after if s.start < open_from]


def test_what_nothing_was_done_about_is_not_cut_off():
    """ "Missing in README.md", and at once the same with the right path: one request in two messages."""
    asked = [Message("user", CSV[0]), Message("user", "Sort the rows of prices.csv by the third column")]
    (_, second) = turns_of([*asked, Message("assistant", CSV[1], origin="model")])
    assert not can_open(second, Running(turns=1, asked=True, waiting=True))
    assert can_open(second, Running(turns=1, asked=True))


def test_tool_output_in_the_user_s_role_is_no_turn():
    act = Message("assistant", "THOUGHT: look\n```bash\nls\n```", origin="model")
    output = Message("user", "<returncode>0</returncode>\n<output>setup.py</output>")
    messages = [Message("user", "Fix the failing build"), *[act, output] * 4]
    assert [t.position for t in turns_of(messages)] == [0]
    assert len(segment_messages(messages)) == 1


def work(*turns, files=("src/watch.py", "src/watch.py")):
    """A thread in which the agent edits a file after each order and says that it is done."""
    messages = []
    for number, (text, path) in enumerate(zip(turns, files, strict=True)):
        call = ToolCall(
            f"c{number}", "Edit", {"file_path": f"/repo/{path}", "old_string": "a", "new_string": "b"}
        )
        messages += [
            Message("user", text, origin="human"),
            Message("assistant", "", tool_calls=(call,), origin="model"),
            Message("tool", "The file has been updated.", tool_call_id=call.id, origin="tool"),
            Message(
                "assistant", "Done. `watch.py` now skips empty folders and all tests pass.", origin="model"
            ),
        ]
    return messages


ORDER = "Make the watch command in src/watch.py skip empty folders."


@pytest.mark.parametrize(
    "opening",
    [
        "alright, let's tackle main.py. read it in full and suggest how to split it",
        "The new provider is missing completely from README.md",
        "好的，我还需要你根据 orders.xlsx生成一份说明表格",
        "现在出现了这个问题，帮我看看\n\n```\nThe slug `guide` does not exist\n```",
    ],
)
def test_amid_work_on_other_files_a_turn_to_another_matter_opens_a_task(opening):
    assert starts(work(ORDER, opening, files=("src/watch.py", "src/other.py"))) == [0, 4]


@pytest.mark.parametrize(
    "remark",
    [
        "Let's address 4 and 7 of your list",
        "here's a session: /home/dev/logs/debug.log",
        "先修复第二个",
        "That was not the right folder. I meant the one below the archive.",
        "[INFO] watch ... FAILURE\n[ERROR] Failed to start the observer of the archive",
        "按照前面对齐的方案来执行吧",
    ],
)
def test_amid_work_what_reacts_to_it_carries_on(remark):
    assert starts(work(ORDER, remark)) == [0]


def test_a_greeting_is_no_task_of_its_own():
    talk = chat("hello", "Hi! What shall I do?", *CSV)
    assert starts([Message(**m) for m in talk]) == [0]


def test_what_an_editor_puts_around_each_turn_makes_no_program_of_the_person():
    """Turns that all open with the same heading were taken for tool output, and none could open a task."""
    above = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py: a.py\n\n## My request for Codex:\n"
    asked = ["Sort the list", "Newest first, please", "Write a README", "Add the licence"]
    talk = [
        Message(role, text, origin="human" if role == "user" else "model")
        for one in asked
        for role, text in (("user", above + one), ("assistant", "```python\nsorted(rows)\n```"))
    ]
    assert [turn.text for turn in turns_of(talk)] == asked


def test_the_files_of_an_answer_are_new_where_the_task_had_not_touched_them():
    first, second = turns_of(work(ORDER, "And now the archive"))
    assert first.files == {"watch.py"}
    running = Running(files={"watch.py"})
    assert running.new_files(second) < 0.5 < Running().new_files(second)
