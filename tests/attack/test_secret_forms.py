"""Every form of `forms/*.jsonl`: secrets go, look-alikes stay."""

from __future__ import annotations

import json

import pytest

from tests.attack.forms import FOLDER, forms, gone, sets
from ultron_core.redaction import find_secrets, redact_patterns

#: share of a set's forms that must go. What is left is named in docs/redaction.md
AT_LEAST = {
    "adversarial": 0.98,
    "detect_secrets_read": 0.92,
    "detect_secrets_unread": 0.73,
    "everyday_read": 0.94,
    "everyday_unread": 0.93,
    "gitleaks_read": 0.99,
    "gitleaks_unread": 0.98,
}


@pytest.mark.parametrize("name", sets())
def test_secrets_go_in_every_form(name):
    tried = list(forms(name))
    left = [f"{form.rule}: {form.text!r}" for form in tried if not gone(form)]
    assert len(left) <= (1 - AT_LEAST[name]) * len(tried), left


def test_look_alikes_stay():
    rows = [json.loads(line) for line in (FOLDER / "stay.jsonl").read_text("utf-8").splitlines()]
    touched = {row["text"]: find_secrets(row["text"]) for row in rows}
    left = {text: found for text, found in touched.items() if found}
    assert len(left) <= 0.01 * len(rows), left


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"key": "123e4567-e89b-12d3-a456-426614174000"}', None),
        ("arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1B2c3", None),
        ('<li key="row-7f3a9b2c1d4e">x</li>', None),
        ("ultron process --no-redact-secrets session7a2b", None),
        ("1Password is locked**", None),
        ("(Open file: /__src__talora__LLM_CTF_Dataset_Dev__HTB__crypto__BabyEncryption/chall.py)", None),
        (
            "https://api.telegram.org/bot7301234567:xY3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG/getMe",
            "https://api.telegram.org/bot<REDACTED_CREDENTIAL>/getMe",
        ),
        (
            "http://10.0.0.5:8081/file/bot7301234567:AAE3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5f/a.jpg",
            "http://<IP_ADDRESS>:8081/file/bot<REDACTED_CREDENTIAL>/a.jpg",
        ),
        ("https://shop.example/robots/bot12345:3000/status", None),
        (
            "curl -b 'session_id=0f3a9b7c2d1e4f5a' x.example",
            "curl -b 'session_id=<REDACTED_TOKEN>' x.example",
        ),
        ("k = 'ghp_aB3dE5gH7jK9' + 'mN1pQ2sT4vW6xY8zC0bD5fG7'", "k = '<GITHUB_TOKEN>'"),
        ("key ghp_aB3dE5gH7jK9\nmN1pQ2sT4vW6xY8zC0bD5fG7\nend", "key <GITHUB_TOKEN>\nend"),
        ("用 Xy7-kQ2m 这个密码", "用 <REDACTED_CREDENTIAL> 这个密码"),
        ("nimm Xy7-kQ2m als Passwort", "nimm <REDACTED_CREDENTIAL> als Passwort"),
    ],
)
def test_the_secret_alone_goes_and_a_word_of_code_stays(before, after):
    assert redact_patterns(before).text.replace("<UUID>", "123e4567-e89b-12d3-a456-426614174000") == (
        after or before
    )


def test_every_form_names_its_source():
    for path in FOLDER.glob("*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            assert row["source"], row
            assert row["source"] == "written for this project" or row["licence"] in ("MIT", "Apache-2.0"), row
