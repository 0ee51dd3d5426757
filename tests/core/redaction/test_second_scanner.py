"""detect-secrets, a scanner that shares no rule with ours, finds nothing after redaction."""

from __future__ import annotations

from detect_secrets.core.scan import scan_line
from detect_secrets.settings import transient_settings

from ultron_core.redaction import redact_patterns

PLUGINS = [
    {"name": name}
    for name in (
        "AWSKeyDetector", "AzureStorageKeyDetector", "BasicAuthDetector", "GitHubTokenDetector", "GitLabTokenDetector",
        "JwtTokenDetector", "KeywordDetector", "NpmDetector", "OpenAIDetector", "PrivateKeyDetector", "PypiTokenDetector",  # noqa: E501
        "SendGridDetector", "SlackDetector", "StripeDetector", "TwilioKeyDetector",
    )
]  # fmt: skip
BODY = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG7hJ9k"
TEXTS = [
    "AKIA" + "J3Q7ZKXW2M5RT6YB",
    "ghp" + "_" + BODY[:36],
    "xox" + "b-123456789012-123456789012-" + BODY[:24],
    "sk" + "_live_" + BODY[:24],
    "SG." + BODY[:22] + "." + BODY + "abc",
    "postgres://app:s3cr3tPw@db/x",
    'password = "s3cr3tPw9"',
    "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NSJ9." + BODY,
    "AC" + "0a1b2c3d4e5f60718293a4b5c6d7e8f9 SK" + "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
]


def test_the_second_scanner_is_silent_after_redaction():
    with transient_settings({"plugins_used": PLUGINS}):
        assert sum(bool(list(scan_line(text))) for text in TEXTS) >= 7, "the scanner must see the keys before"
        left = {text: list(scan_line(redact_patterns(text).text)) for text in TEXTS}
    assert not {text: found for text, found in left.items() if found}
