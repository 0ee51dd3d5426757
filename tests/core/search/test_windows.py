"""How messages become units and windows."""

from datetime import UTC, datetime

from ultron_core.models import Message, ToolCall
from ultron_core.search import make_units, make_windows
from ultron_core.search.actions import action_lines


def said(role, content, line, **more):
    origin = "human" if role == "user" else "model"
    return Message(role=role, content=content, origin=origin, start_line=line, end_line=line, **more)


def ran(line, command, result="ok", **more):
    """A call without a word, and its result."""
    calls = (ToolCall(f"c{line}", "bash", {"command": command}),)
    call = Message(role="assistant", origin="model", tool_calls=calls, start_line=line, end_line=line)
    back = Message(role="tool", origin="tool", content=result, start_line=line + 1, end_line=line + 1, **more)
    return [call, back]


def talk(count):
    return [said("assistant" if n % 2 else "user", f"turn {n}", n + 1) for n in range(count)]


def units(messages):
    return make_units(list(enumerate(messages)))


def test_four_turns_a_window_and_the_next_two_further():
    windows = make_windows(talk(7))
    assert [(w.place, w.units[0].start_seq, w.units[-1].end_seq) for w in windows] == [
        (0, 0, 3),
        (1, 2, 5),
        (2, 4, 6),
    ]
    assert windows[0].text == "user: turn 0\nassistant: turn 1\nuser: turn 2\nassistant: turn 3"


def test_a_single_turn_is_a_window_and_an_empty_log_has_none():
    assert len(make_windows(talk(1))) == 1
    assert make_windows([]) == []
    assert make_windows([Message(role="system", content="You are kind.", origin="harness")]) == []


def test_what_was_done_stands_behind_what_was_said():
    log = [
        said("user", "Run the tests", 1),
        *ran(2, "pytest tests/test_pool.py", "1 passed"),
        said("user", "Good", 4),
    ]
    first, second = units(log)
    assert first.text == "user: Run the tests\nbash: pytest tests/test_pool.py"
    assert (first.start_seq, first.end_seq, first.end_line) == (0, 1, 2)
    assert second.text == "user: Good"


def test_error_lines_of_a_result_are_kept_and_the_rest_is_not():
    output = "collecting\n" + "noise\n" * 5000 + "E   KeyError: 'pool_size'\n1 failed in 0.1s\n"
    log = [said("user", "Run", 1), *ran(2, "pytest", output)]
    assert units(log)[0].text.splitlines()[2:] == [
        "tool: E   KeyError: 'pool_size'",
        "tool: 1 failed in 0.1s",
    ]


def test_a_result_that_is_marked_as_error_gives_its_first_lines():
    message = Message(role="tool", origin="tool", content="\n\nno space left\n", is_error=True)
    assert list(action_lines(message)) == ["tool: no space left"]
    assert list(action_lines(Message(role="tool", origin="tool", content="\n", is_error=True))) == []


def test_chinese_errors_are_errors():
    message = Message(role="tool", origin="tool", content="正在连接\n连接失败：端口 5432\n")
    assert list(action_lines(message)) == ["tool: 连接失败：端口 5432"]


def test_a_message_with_very_many_calls_and_a_very_long_line_of_dots_stay_small_and_quick():
    calls = tuple(ToolCall(f"c{n}", "bash", {"command": "x" * 10_000}) for n in range(5000))
    log = [
        Message(role="assistant", name="n" * 10_000, content="I run.", origin="model", tool_calls=calls),
        Message(role="tool", origin="tool", content="a." * 500_000),
    ]
    (window,) = make_windows(log)
    assert window.text.startswith("n" * 80 + ": I run.\nbash: xxx") and len(window.text) < 16 * 410


def test_a_long_run_of_calls_makes_more_units_that_begin_with_a_message():
    calls = [m for n in range(20) for m in ran(2 * n + 2, f"cat {'x' * 100}/{n}.py")]
    made = units([said("user", "Read it all", 1), *calls])
    assert len(made) > 1
    assert [u.start_char for u in made] == [0] + [-1] * (len(made) - 1)
    assert sorted(line for u in made for line in u.text.splitlines()[u is made[0] :]) == sorted(
        f"bash: cat {'x' * 100}/{n}.py" for n in range(20)
    )


def test_a_long_saying_is_cut_between_lines_and_nothing_is_lost():
    text = "\n".join(f"line {n} of a long paste" for n in range(300))
    made = units([said("user", text, 1)])
    assert len(made) > 4 and max(len(u.text) for u in made) <= 1210
    assert "\n".join(u.text.removeprefix("user: ") for u in made) == text
    assert len({(u.start_seq, u.start_char) for u in made}) == len(made)


def test_a_paste_without_any_space_is_cut_as_well():
    made = units([said("user", "字" * 3000, 1)])
    assert "".join(u.text.removeprefix("user: ") for u in made) == "字" * 3000


def test_a_paste_of_a_megabyte_ends_somewhere():
    assert len(units([said("user", "word " * 200_000, 1)])) == 32


def test_starting_again_at_the_first_message_of_a_unit_gives_the_same_units():
    log = (
        talk(3)
        + [m for n in range(12) for m in ran(2 * n + 10, "echo " + "y" * 140)]
        + [said("user", "z " * 2000, 40)]
    )
    numbered = list(enumerate(log))
    made = make_units(numbered)
    for position, unit in enumerate(made):
        again = make_units(numbered[unit.start_seq :])
        assert [u for u in again if (u.start_seq, u.start_char) >= (unit.start_seq, unit.start_char)] == made[
            position:
        ]


def test_threads_have_windows_of_their_own():
    log = [*talk(2), said("user", "aside", 3, thread="agent-1")]
    assert [(w.thread, w.text) for w in make_windows(log)] == [
        ("main", "user: turn 0\nassistant: turn 1"),
        ("agent-1", "user: aside"),
    ]


def test_a_name_speaks_for_a_role_and_the_first_time_is_the_windows():
    at = datetime(2026, 1, 2, tzinfo=UTC)
    (window,) = make_windows([said("user", "Hello", 1), said("assistant", "Hi", 2, name="Ada", timestamp=at)])
    assert window.text == "user: Hello\nAda: Hi"
    assert window.sent_at == at


def test_the_digest_follows_words_and_place():
    one, same = make_windows(talk(4))[0], make_windows(talk(4))[0]
    moved = make_windows([said("user", "before", 1), *talk(4)])[0]
    assert one.digest == same.digest != moved.digest
