"""What a person asks, without what an editor or a command puts around it."""

import pytest

from ultron_core.transcript.asked import asked


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (
            "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nCheck this error",
            "Check this error",
        ),
        (
            "what will it cost\n\n<current_datetime>2025-12-02T05:21:29.475Z</current_datetime>",
            "what will it cost",
        ),
        ("[Image #1] the page is empty", "the page is empty"),
        ("read it\nCurrent File Path:\n```md\na.md\n```\n\nUser Selected Files:\n- a.md", "read it"),
        (
            "---\ndescription: Create the plan\n---\n\n## User Input\n\n```text\nuser story 1\n```\n\nYou **MUST** ...",
            "Create the plan\nuser story 1",
        ),
        (
            "---\ndescription: Create the plan\n---\n\n## User Input\n\n```text\n$ARGUMENTS\n```\n",
            "Create the plan",
        ),
        ("Fix the build", "Fix the build"),
        ("[Image #1]", "[Image #1]"),
    ],
)
def test_what_stands_around_a_request_is_left_out(text, own):
    assert asked(text) == own
