"""Items of a summary that stands in place of an earlier part of the session."""

from ultron_core.lessons.candidates.recapped import find_recapped
from ultron_core.models import Message, as_messages

RECAP = """This session is being continued from a previous conversation.

Summary:
1. Primary Request and Intent:
   The user asked for a review page with all open annotations of the project, sorted by file and line.
   Each annotation links to the place in the diff that it is about, and can be marked as done there.
   The page has to work without a reload, and its address has to hold the chosen filter.

2. Key Technical Concepts:
   - The sandbox mode `{:shared, self()}` is required for LiveView tests

4. Errors and fixes:
   - **LiveView test: missing secret_key_base**: Added endpoint config to `config/test.exs`.

## Key Decisions Made
1. **Keep the old code for reference** - new files `main-new.ts` stand beside it, not in place of it

8. Current Work:
   - **review page** - only `live.ex` is not done yet
"""


def recapped(*texts, origin="harness"):
    messages = as_messages([Message("user", text, origin=origin) for text in texts])
    return list(find_recapped(messages))


def test_items_below_telling_headings_are_what_the_agent_says():
    found = recapped(RECAP)
    assert [(one.source, one.author) for one in found] == [("recap", "agent")] * 3
    assert ["sandbox mode" in found[0].text, "secret_key_base" in found[1].text] == [True, True]
    assert found[2].text.startswith("**Keep the old code for reference")
    assert all(one.quote in RECAP for one in found)


def test_what_is_still_to_do_is_left_out():
    assert not any("live.ex" in one.text for one in recapped(RECAP))


def test_a_summary_that_comes_again_gives_each_item_once():
    assert len(recapped(RECAP, RECAP)) == 3


def test_a_prompt_of_the_harness_and_a_persons_list_are_no_summary():
    assert recapped("Be brief.\n\n## Testing\n- run `pytest` always before you commit\n" * 20) == []
    assert recapped(RECAP, origin="human") == []
