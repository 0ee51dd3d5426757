"""Secrets in base64 and hexadecimal, and in pieces that code joins."""

import base64

import pytest

from ultron_core.redaction import find_secrets, redact_patterns

KEY = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG7"


def packed(text):
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "run",
    [
        packed(KEY),
        packed("password=Tr0ub4dor&3"),
        packed('{"api_key": "aB3dE5gH7jK9mN1pQ2sT"}'),
        packed(packed(KEY)),
        base64.urlsafe_b64encode(f"token: {KEY}??>>".encode()).decode(),
        KEY.encode().hex(),
        "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
    ],
)
def test_a_run_that_decodes_to_a_secret_goes(run):
    assert run not in redact_patterns(f"echo {run} | base64 -d").text


@pytest.mark.parametrize(
    "text",
    [
        packed("The quick brown fox jumps over the lazy dog."),
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "src/components/authentication/password/PasswordResetConfirmation",
        b"The quick brown fox".hex(),
        "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTK",
        'names = ["first-", "secondNameOfTheList"]',
    ],
)
def test_other_runs_stay(text):
    assert find_secrets(text) == []
