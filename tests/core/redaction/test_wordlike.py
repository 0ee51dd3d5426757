"""`sk-` and letters: a key or words? Keys with known prefixes, letters alone, dashes; and CSS classes."""

import pytest

from ultron_core.redaction import redact_patterns

LETTERS = "abcdefghijklmnopqrstuvwxyz" + "ABCDEF"
MIXED = "qWeRtyUIopASdfGHjkLZxcVB"


@pytest.mark.parametrize(
    "tail",
    [
        LETTERS,
        LETTERS.lower(),
        MIXED,
        f"{MIXED}-{MIXED}",
        f"proj-{LETTERS}",
        "ant-api03-" + MIXED.lower(),
        "or-v1-" + "0a1b2c3d" * 8,
        "team-x9Y8z7W6v5U4-backup",
        "proj-Zk-Q_" + MIXED,
    ],
)
@pytest.mark.parametrize(
    "frame", ["{}", "key {}, ok", "密钥{}。", '{{"x": "{}"}}', "h/?k={}&z=1", "a\\n{}\\nb"]
)
def test_a_key_goes(tail, frame):
    text = frame.format("sk-" + tail)
    assert redact_patterns(text).text == frame.format("<LLM_API_KEY>")


@pytest.mark.parametrize(
    "words",
    [
        "sk-learn-something-that-is-long",
        "sk-user-profile-settings-page-header",
        "sk-org-chart-component-wrapper-v2",
        "sk-ant-design-button-primary-active",
        "sk-userProfileSettingsContainer",
        "sk-fading-circle-12-animation-2024",
        "sk-admin-dashboard-navigation_bar",
        "sk-" + "x" * 40,
        "task-" + LETTERS,
        "risk-assessment-of-all-models-2024",
    ],
)
def test_words_stay(words):
    for text in (words, f".{words} {{ color: red }}", f"pip install {words}", f"样式{words}。"):
        assert redact_patterns(text).text == text
