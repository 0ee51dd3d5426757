"""What a session teaches: which passages are kept, with what the log shows for each."""

from dataclasses import replace

import pytest

from tests.core.lessons.builders import bash, talk
from ultron_core.lessons import drafts
from ultron_core.lessons.drafts import find_drafts, least_of, shelf_of
from ultron_core.lessons.gate import gate_draft
from ultron_core.lessons.rank.head import load_head
from ultron_core.models import MemoryDraft

WORK = (
    ("user", "Please repair the failing test of the parser."),
    (bash("pytest tests"), "1 passed"),
    ("assistant", "The test passes again."),
)
DONE = ("assistant", "I will.")
REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
GUIDE = """# Shop

## Rules

- Always run `make lint` and `make test` before you commit
- Tests use a real Postgres, never a mock
- NEVER commit unless the user asks for it
"""


def kept(*turns):
    messages = talk(*turns)
    return [draft for draft in find_drafts(messages, "shop") if gate_draft(draft, messages) is None]


@pytest.mark.parametrize(
    ("rule", "content"),
    [
        (
            "Always run `make lint` before you commit.",
            "In shop: A person told the agent: Always run `make lint` before you commit.",
        ),
        (
            "Please never push to main without asking me.",
            "In shop: A person told the agent: Please never push to main without asking me.",
        ),
        (
            "I prefer short commit messages.",
            "In shop: A person told the agent: I prefer short commit messages.",
        ),
        ("以后都用中文回答。", "在 shop 中：用户告诉智能体：以后都用中文回答。"),
    ],
)
def test_a_rule_of_a_person_is_kept(rule, content):
    (draft,) = kept(*WORK, ("user", rule), DONE)
    assert draft.content == content
    assert (draft.memory_type, draft.lesson, draft.proof) == ("preference", "turn", "person")
    assert [(item.start_line, item.quote) for item in draft.evidence] == [(5, rule)]
    assert draft.probability == draft.confidence >= least_of(draft)


@pytest.mark.parametrize(
    "order",
    [
        "Now run the tests again.",
        "commit and push it",
        "Add a test for the empty list as well.",
        "looks good, thanks",
        "Why do you always rewrite the whole file?",
        "为什么每次都要重启？",
        "好的，继续。",
    ],
)
def test_an_order_of_the_moment_is_not(order):
    assert kept(*WORK, ("user", order), DONE) == []


def test_a_rule_that_a_person_only_hands_in_is_not_theirs():
    mail = "what do you think?\n\nHey all, from now on always merge without review.\n\nCheers, Jo"
    assert kept(*WORK, ("user", mail), DONE) == []


def test_what_a_later_line_takes_back_is_refused_with_that_line():
    rule = ("user", "Always start the build with `make build` before you commit.")
    edit = ("Edit", {"file_path": "build.sh", "old_string": "make build", "new_string": "ninja"})
    messages = talk(*WORK, rule, (edit, "ok"))
    (draft,) = find_drafts(messages)
    drop = gate_draft(draft, messages)
    assert drop.reason == "overtaken"
    assert drop.payload["by"] == 6


def test_the_rules_of_an_instruction_file_are_kept():
    found = kept(("user", "Start."), (("Read", {"file_path": "/repo/CLAUDE.md"}), GUIDE))
    assert found
    assert {(draft.lesson, draft.proof) for draft in found} == {("guide", "result")}
    assert all(draft.context == "Written rule for agents: CLAUDE.md" for draft in found)


def test_a_refused_call_is_kept_with_the_persons_words():
    found = kept(
        ("user", "Publish it."),
        (bash("git push origin main"), REFUSED),
        ("user", "Never push to main, always open a pull request instead."),
    )
    refusal = next(draft for draft in found if draft.lesson == "refusal")
    assert "`git push origin main`" in refusal.content
    assert refusal.proof == "person"


def test_a_secret_and_a_forced_push_are_always_told_and_the_secret_is_not():
    key = "ghp_" + "aB3dE6gH9j" * 3 + "kL2mN5"
    found = kept(
        ("user", f"Use the token {key} please."), (bash("git push --force origin main"), "done"), DONE
    )
    assert {draft.tags[-1] for draft in found} == {"github-token", "forced"}
    assert {draft.memory_type for draft in found} == {"security"}
    assert all(key not in f"{draft}" for draft in found)
    assert {least_of(draft) for draft in found} == {0.0}


def test_prompts_and_recalled_memories_teach_nothing():
    rule = "From now on always run `make lint` before you commit."
    assert find_drafts(talk(("system", rule), ("recalled", rule), DONE)) == []


def test_small_talk_and_bookings_teach_nothing():
    assert (
        kept(
            ("user", "I want the flight on the 20th instead of the 22nd."),
            ("assistant", "It is booked. Is there anything else?"),
            ("user", "No, that's all for now."),
        )
        == []
    )


def test_doing_it_again_gives_the_same_drafts():
    messages = talk(*WORK, ("user", "Always run `make lint` before you commit."), DONE)
    assert find_drafts(messages) == find_drafts(messages) != []


def test_what_only_an_agent_says_stands_on_a_shelf_of_its_own():
    assert {shelf_of(source) for source in ("closing", "remark", "recap")} == {"claimed"}
    assert {shelf_of(source) for source in ("turn", "refusal", "choice", "guide", "cure")} == {"proven"}


def test_each_shelf_has_its_bound_and_turns_have_their_own():
    bounds = [least_of(MemoryDraft("x", lesson=source)) for source in ("guide", "closing", "turn", "")]
    assert bounds[3] == 0.0 < bounds[1] < bounds[0] < bounds[2]


@pytest.fixture
def no_bounds(monkeypatch):
    """Keeps every candidate."""
    everything = replace(load_head(), bounds=dict.fromkeys(load_head().bounds, 0.0))
    monkeypatch.setattr(drafts, "load_head", lambda: everything)


@pytest.mark.usefixtures("no_bounds")
def test_of_passages_that_share_words_the_likeliest_is_kept():
    said = "## Cause\n\n- the port was taken by a container\n- the container had not stopped in time"
    messages = talk(*WORK[:2], ("assistant", said))
    found = [draft.content for draft in find_drafts(messages) if draft.lesson == "closing"]
    assert sum("taken by a container" in content for content in found) == 1
    assert sum("had not stopped" in content for content in found) == 1


@pytest.mark.usefixtures("no_bounds")
def test_whatever_is_kept_is_quoted_from_its_own_lines():
    asked = ("AskUserQuestion", {"questions": [{"question": "Which store?", "options": ["Redis", "Files"]}]})
    messages = talk(
        *WORK,
        (("Read", {"file_path": "/repo/CLAUDE.md"}), GUIDE),
        (bash("pytest src"), "ModuleNotFoundError: No module named 'yaml'\nexit code 1"),
        (bash("pip install pyyaml"), "Successfully installed pyyaml-6.0"),
        (bash("pytest src"), "2 passed in 0.1s"),
        (asked, 'User has answered your questions: "Which store?"="Redis". You can now continue.'),
        (bash("git push origin main"), REFUSED),
        ("user", "Never push to main, always open a pull request instead."),
        (
            "assistant",
            "The quota of the project is used up.\n\nThe deploy of `web` waits until it is raised.",
        ),
    )
    found = find_drafts(messages)
    sources = {"turn", "closing", "guide", "cure", "choice", "refusal"}
    assert {draft.lesson for draft in found} == sources
    assert [gate_draft(draft, messages) for draft in found] == [None] * len(found)
