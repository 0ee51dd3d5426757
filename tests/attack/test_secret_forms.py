"""Every form of `forms/*.jsonl`: secrets go, look-alikes stay."""

from __future__ import annotations

import json

import pytest

from tests.attack.forms import FOLDER, forms, gone, sets
from ultron_core.redaction import find_secrets

#: share of a set's forms that must go. What is left is named in docs/redaction.md
AT_LEAST = {
    "adversarial": 0.98,
    "detect_secrets_read": 0.92,
    "detect_secrets_unread": 0.73,
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


def test_every_form_names_its_source():
    for path in FOLDER.glob("*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            assert row["source"], row
            assert row["source"] == "written for this project" or row["licence"] in ("MIT", "Apache-2.0"), row
