"""What the agent takes back later is no memory."""

import pytest

from tests.core.lessons.builders import talk
from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.keeping.retracted import is_taken_back
from ultron_core.models import Evidence, MemoryDraft

CLAIM = "`cmd/watch.go` always reads the token from `config.toml`."


def refused(*after, claim=CLAIM):
    messages = talk(("user", "Why is the token wrong?"), ("assistant", f"Done. {claim}"), *after)
    line = messages[1].start_line
    drop = gate_draft(MemoryDraft(claim, confidence=0.8, evidence=(Evidence(line, line, claim),)), messages)
    return drop and drop.reason


@pytest.mark.parametrize(
    "later",
    [
        "Wait, that's not the real reason: `config.toml` is never read.",
        "I was wrong about `config.toml`: the token comes from the environment.",
        "My earlier reading was wrong. The token in `config.toml` is ignored.",
        "我之前的判断错了，`config.toml` 根本没有被读取。",
    ],
)
def test_a_later_message_that_takes_it_back(later):
    assert refused(("user", "Are you sure?"), ("assistant", later)) == "taken_back"


@pytest.mark.parametrize(
    "later",
    ["Wait, that's not the real reason: `main.go` is stale.", "`config.toml` is read once at the start."],
)
def test_what_is_taken_back_about_another_thing_or_not_at_all(later):
    assert refused(("user", "And now?"), ("assistant", later)) is None


@pytest.mark.parametrize(
    "later",
    ["Sorry, `--turbo=false` is not a valid flag.", "抱歉，`--turbo=false` 这个标志不正确。让我修正："],
)
def test_an_apology_for_a_piece_of_code_takes_it_back(later):
    claim = "Added the flag `--turbo=false`, as the bundler cannot load fonts."
    assert refused(("user", "Go on."), ("assistant", later), claim=claim) == "taken_back"
    sorry = ("assistant", "Sorry for the wait. The flag `--turbo=false` is set.")
    assert refused(("user", "Go on."), sorry, claim=claim) is None


@pytest.mark.parametrize(
    "later",
    [
        "Sorry, the `--turbo=false` of `next.config` is not valid.",
        "I apologize, `--turbo=false` for v16.1 is wrong.",
    ],
)
def test_a_dot_within_a_name_ends_no_apology(later):
    claim = "Added the flag `--turbo=false`, as the bundler cannot load fonts."
    assert refused(("user", "Go on."), ("assistant", later), claim=claim) == "taken_back"


def test_an_apology_that_says_what_was_found_takes_nothing_back():
    claim = "The build fails since `--turbo` does not exist in Next 16."
    later = "Sorry, `--turbo` does not exist in Next 16, I removed it for good."
    assert refused(("user", "Go on."), ("assistant", later), claim=claim) != "taken_back"
    later = "Sorry, `--turbo` is not valid in Next 15."
    assert refused(("user", "Go on."), ("assistant", later), claim=claim) == "taken_back"


@pytest.mark.parametrize(
    ("claim", "later"),
    [
        (
            "The build fails because the wrong `config.toml` is loaded.",
            "Wait, that's not the real reason: `config.toml` is fine.",
        ),
        ("The existing `config.toml` breaks the build.", "I misread `config.toml`, it is fine."),
        ("The column in `rows.py` is right-aligned by default.", "Actually, no: `rows.py` centres it."),
        ("构建失败，因为 `config.toml` 不存在。", "等等，真正的原因不是 `config.toml`。"),
    ],
)
def test_only_an_apology_repeats_what_was_found(claim, later):
    messages = talk(("assistant", claim), ("user", "And now?"), ("assistant", later))
    line = messages[0].start_line
    draft = MemoryDraft(claim, confidence=0.8, evidence=(Evidence(line, line, claim),))
    assert is_taken_back(draft, messages)


def test_what_stands_between_two_pieces_of_code_is_no_name():
    claim = "The cells are transposed because `i` and `j` are swapped in the loop."
    later = "Sorry, the labels `x` and `y` were wrong in my table."
    assert refused(("user", "Go on."), ("assistant", later), claim=claim) is None


def test_a_persons_words_are_not_the_agents_to_take_back():
    messages = talk(
        ("user", CLAIM), ("assistant", "Wait, that's not the real reason: `config.toml` is gone.")
    )
    line = messages[0].start_line
    draft = MemoryDraft(CLAIM, confidence=0.8, evidence=(Evidence(line, line, CLAIM),))
    assert gate_draft(draft, messages) is None
