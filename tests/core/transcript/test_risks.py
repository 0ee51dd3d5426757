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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("BOT = '" + "123456789:AA" + "b3Xk_9-Qw" * 3 + "zT5rY7'", "Telegram bot token"),
        ("GROQ=" + "gsk_" + "aB3d" * 12, "LLM API key"),
        ("DATABASE_URL=postgresql://app:k3Rw-19xQ" + "@db.shop.net:5432/app", "database password"),
        ("mongodb+srv://admin:Zt7pass99" + "@cluster0.ab12c.mongodb.net/shop", "database password"),
    ],
)
def test_a_key_of_a_bot_a_model_or_a_database_is_a_secret(text, kind):
    assert [found for found, _ in find_secrets(text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "postgres://postgres:postgres1@localhost:5432/app",  # of the machine itself
        "postgres://app:k3Rw19xQ@127.0.0.1/app",
        "postgres://user:password@db.shop.net/app",  # a word alone
        "postgres://${USER}:${PASS9}@db.shop.net/app",
        "postgres://user:your_pass1@db.shop.net/app",
        "mysql://db.shop.net:3306/app",
    ],
)
def test_an_address_of_a_database_without_a_password_of_its_own_is_none(text):
    assert find_secrets(text) == []
