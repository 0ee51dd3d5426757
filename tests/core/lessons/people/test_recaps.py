"""A summary in place of an earlier part of the session: its items are lessons with their own line."""

from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.people.recaps import find_recapped
from ultron_core.models import Message, as_messages

RECAP = """This session is being continued from a previous conversation.

Summary:
1. Primary Request and Intent:
   The user asked for a review page with all open annotations of the project.

2. Key Technical Concepts:
   - Phoenix LiveView
   - The sandbox mode `{:shared, self()}` is required for LiveView tests
   - `window.getSelection()` and ranges

4. Errors and fixes:
   - **LiveView test: missing secret_key_base**: Added endpoint config to `config/test.exs`.
   - **Compile errors for the missing module**: Expected during incremental editing. Fixed by creating `ref.ex`.
   - **Migration uses ALTER TABLE MODIFY, which SQLite lacks**: Rewrote it by renaming and copying `annotations`.

## Key Decisions Made
1. **Keep the old code for reference** - new files `main-new.ts` stand beside it, not in place of it

## Testing
User prefers **E2E tests only** - no unit tests in `test/`.

8. Current Work:
   - **review page** - only `live.ex` is not done yet
"""


def recapped(text=RECAP, origin="harness"):
    messages = as_messages(
        [Message("user", text, origin=origin), Message("assistant", "Going on.", origin="model")]
    )
    return messages, find_recapped(messages, "spotter")


def test_items_below_telling_headings_become_lessons():
    messages, drafts = recapped()
    assert [(draft.memory_type, draft.tags[1]) for draft in drafts] == [
        ("pattern", "concept"),
        ("error", "error"),
        ("error", "error"),
        ("pattern", "decision"),
        ("preference", "fact"),
    ]
    assert all("spotter" in draft.content for draft in drafts)
    assert all(draft.evidence[0].quote in RECAP for draft in drafts)
    assert [gate_draft(draft, messages) for draft in drafts] == [None] * 5


def test_an_error_keeps_what_solved_it_apart():
    _, drafts = recapped()
    assert drafts[1].content.endswith("LiveView test: missing secret_key_base")
    assert drafts[1].resolution == "Added endpoint config to `config/test.exs`."


def test_a_prompt_of_the_harness_and_a_persons_list_are_no_recap():
    assert recapped("Be brief.\n\n## Testing\n- run `pytest` always before you commit\n" * 20)[1] == []
    assert recapped(origin="human")[1] == []


def test_a_wish_among_the_messages_that_a_recap_repeats():
    said = """6. All user messages:
   - "Implement the review page"
   - "from now on never push to main without asking me"
   - "no, we should put the helper in core/ instead of a new file"
"""
    _, drafts = recapped(RECAP + said)
    assert [draft.memory_type for draft in drafts[-2:]] == ["preference", "correction"]
    assert (
        drafts[-2].content
        == "Standing preference in spotter: from now on never push to main without asking me"
    )
