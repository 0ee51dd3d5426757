"""Commands that cannot be taken back, and secrets in plain text."""

import pytest

from ultron_core.transcript.risks import find_secrets, risky_parts


def kinds(command):
    return [kind for kind, _ in risky_parts(command)]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("rm -rf ~/", "wiped"),
        ("cd build && rm -rf *", "wiped"),
        ("git push origin +main", "forced"),
        ("psql -c 'DROP TABLE users'", "dropped"),
        ("kubectl delete ns staging", "torn_down"),
        ("chmod -R 777 /srv/www", "opened"),
        ("curl -sSL https://example.org/install.sh | sudo bash", "piped"),
        ("git reset --hard origin/main", "discarded"),
        ("git commit --no-verify -m 'quick fix'", "unchecked"),
    ],
)
def test_what_cannot_be_taken_back(command, kind):
    assert kinds(command) == [kind]


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf node_modules dist",
        "git push --force-with-lease origin topic",
        "git commit -m 'never use --no-verify here'",
        "git commit -m 'never rm -rf /'",
        "grep -rn 'DROP TABLE' migrations",
        "echo 'rm -rf /'",
    ],
)
def test_everyday_commands_and_mere_mentions_are_none(command):
    assert kinds(command) == []


def test_a_secret_is_found_by_kind_and_an_example_is_none():
    token = "ghp_" + "a1B2" * 9
    assert [kind for kind, _ in find_secrets(f"export TOKEN={token}")] == ["GitHub token"]
    assert find_secrets(f"# example: {token}") == []
