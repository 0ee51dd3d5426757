"""What the agent states about a project after it looked or worked."""

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons.findings.find import find_findings
from ultron_core.lessons.people.turns import read_turns
from ultron_core.transcript.actions import read_actions

MODULES = "modernc.org/sqlite v1.46.1 // Pure Go SQLite database driver"
STATED = "The project uses `modernc.org/sqlite` (pure Go, FTS5 built in) because the other driver needs a compiler."


def drafts(said, output=MODULES, project="shop", work=True, then=()):
    messages = talk(
        ("user", "Which driver does the store use?"),
        (bash("grep sqlite go.mod"), output),
        ("assistant", said),
        *then,
    )
    return find_findings(messages, read_actions(messages), read_turns(messages), project, work)


def contents(*args, **more):
    return [draft.content for draft in drafts(*args, **more)]


def test_a_statement_of_the_closing_answer_with_what_was_asked():
    (draft,) = drafts(f"{STATED} Let me know if you need more.")
    assert draft.content == f"In shop: {STATED}"
    assert "Which driver does the store use?" in draft.context
    assert draft.evidence[0].quote == STATED


def test_the_sound_before_it_and_the_line_that_it_names_are_left_out():
    assert contents(f"Good news: {STATED}") == [f"In shop: {STATED}"]
    placed = STATED.replace("built in)", "built in) (go.mod:12-14)")
    assert contents(f"- {placed}") == [f"In shop: {STATED}"]


def test_what_a_review_numbers_or_puts_below_lines_is_not_final():
    assert contents(f"- (12) {STATED}") == []
    assert contents(f"Lines 12-20 (new):\n- {STATED}") == [f"In shop: {STATED}"]
    assert contents(f"### Lines 12-20 (new)\n- {STATED}") == []


def test_a_bare_step_of_the_work_is_no_finding():
    assert contents("Added the new example files `src/a.ts` and `src/b.ts` to the store folder.") == []


def test_the_heading_above_a_point_is_its_setting():
    (draft,) = drafts(f"## The store\n\n- {STATED}\n")
    assert "The store" in draft.context


@pytest.mark.parametrize(
    "said",
    [
        f"## Possible causes\n\n- {STATED}\n",
        f"## 可能的原因\n\n- {STATED}\n",
        "Done.\n\n- Replace `modernc.org/sqlite` in go.mod, because the other driver needs a compiler to build.\n",
        "好的。\n\n- 把 `modernc.org/sqlite` 换成另一个驱动，因为这个驱动在构建的时候需要一个编译器才行。\n",
        "Done.\n\n- `modernc.org/sqlite/lib/drivers/internal/` (plus `modernc.org/sqlite/vfs.go`)\n",
    ],
)
def test_guesses_orders_and_bare_lists_of_names_below_an_answer_are_left_out(said):
    assert contents(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "I should use `modernc.org/sqlite` here because the others need a compiler.",  # a plan
        "This uses `modernc.org/sqlite` because the others need a compiler to be installed.",  # points at another
        "You might want `modernc.org/sqlite`, if the build should not need a compiler.",  # a guess
        "Now let me look at `modernc.org/sqlite` and at the tests of the store.",  # a step
        "The store is fast and it is easy to understand how everything in it works.",  # names nothing
    ],
)
def test_plans_guesses_and_sentences_that_lean_on_others_are_left_out(said):
    assert contents(said) == []


def test_what_the_log_does_not_bear_out_is_left_out():
    assert contents(STATED, output="nothing found", project="") == []


def test_an_answer_that_the_person_rejects_tells_nothing():
    rejected = ("user", "No, that's wrong, it doesn't use that driver at all!")
    assert contents(STATED, then=(rejected,)) == []


def test_a_statement_made_twice_is_told_once():
    again = STATED.replace("pure Go, FTS5 built in", "pure Go with FTS5")
    assert len(contents(f"{STATED} {again}")) == 1


def test_a_talk_that_is_no_work_has_no_findings():
    assert contents(STATED, work=False) == []


@pytest.mark.parametrize(
    "said",
    [
        "Removed the `sqlite` field from `store/options.go` and renamed the one that `open()` reads.",
        "- `store/open.go` — new `modernc.org/sqlite` helper that opens the store and reads its pragmas",
        "- `openStore()` - opens `modernc.org/sqlite` and returns the handle of the store",
        "`modernc.org/sqlite` and the whole family of its drivers, as in `go.mod` of the shop",
        "The next big task is the move of the store to `modernc.org/sqlite`, which is not begun.",
        "Without it, `modernc.org/sqlite` is not found and the store does not open at all.",
        f"### Recommended improvements\n\n- {STATED}",
    ],
)
def test_changelogs_inventories_and_proposals_are_no_findings(said):
    assert contents(said) == []


def test_a_change_with_its_reason_is_one():
    reason = "Replaced the old driver by `modernc.org/sqlite`, because the build must not need a C compiler."
    assert contents(reason) == [f"In shop: {reason}"]


@pytest.mark.parametrize(
    "taken_back",
    ["Wait, the compiler is there.", "But that's not the real reason.", "The actual cause is a missing tag."],
)
def test_what_the_same_message_takes_back_is_left_out(taken_back):
    assert contents(f"{STATED} {taken_back}") == []
    assert contents(f"{taken_back} {STATED}") == [f"In shop: {STATED}"]
