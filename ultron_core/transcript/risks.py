"""What can destroy data or leak it: commands that cannot be taken back, and text that is a secret for sure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.transcript.speech import any_of

__all__ = ["find_secrets", "risky_parts"]

#: kind -> shapes of one command
RISKS = (
    (
        "wiped",
        any_of(
            # "rm -rf ~/", "sudo rm -rf /var/lib", "rm -rf *"
            r"^(?:sudo )?rm\s+(?:-\S+\s+){0,8}-(?=\w*r)(?=\w*f)\w+\s+(?:\S+\s+)*"
            r"(?:/|/\*|~/?|~/\*|\$HOME/?\*?|\*|\.|\./|\.\.|\.git|"
            r"/(?:etc|usr|var|home|opt|root|bin|lib)(?:/[\w.-]+)?/?)(?:\s|$)",
            # "mkfs.ext4 /dev/sda1", "dd if=a.img of=/dev/sda"
            r"^(?:sudo )?(?:mkfs(?:\.\w+)?\s|dd\s+.*\bof=/dev/(?!null))",
            # "git clean -fdx"
            r"^git clean\s+(?:-\S+\s+){0,8}-[^\Wf]*f[^\Wx]*x\w*\b",
        ),
    ),
    # "git push --force origin main", "git push origin +main"
    ("forced", any_of(r"^git push\s.*(?:--force(?!-with-lease)\b|\s-f\b)", r"^git push\s+\S+\s+\+\w")),
    (
        "dropped",
        any_of(
            # psql -c 'DROP TABLE users'
            r"\bdrop\s+(?:table|database|schema)\s+(?!if exists\s+(?:test|tmp))\w",
            r"\btruncate\s+table\s+\w",
            # mysql -e "DELETE FROM orders;"
            r"\bdelete\s+from\s+[\w.]+\s*(?:;|\"|'|$)",
        ),
    ),
    (
        "torn_down",
        any_of(
            r"^terraform\s+destroy\b",
            # "kubectl delete ns staging", "kubectl delete pods --all"
            r"^kubectl\s+delete\s+(?:ns|namespace)\b",
            r"^kubectl\s+delete\s.*--all\b",
        ),
    ),
    # "chmod -R 777 /srv/www"
    ("opened", any_of(r"^(?:sudo )?chmod\s+(?:-\w+\s+)*0?777\b")),
    # "curl -sSL https://example.org/install.sh | sudo bash"
    ("piped", any_of(r"^(?:sudo )?(?:curl|wget)\s.*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b")),
    # "git reset --hard origin/main": changes that were not committed are lost
    ("discarded", any_of(r"^git\s+reset\s+--hard\b")),
    # "git commit --no-verify", "ssh -o StrictHostKeyChecking=no host"
    ("unchecked", any_of(r"^git\s.*--no-verify\b", r"\bstricthostkeychecking[= ]no\b")),
)
#: parts that only mention a command: "echo 'DROP TABLE users'", "# rm -rf build"
_MENTION = re.compile(r"^(?:echo|printf|grep|rg|git (?:log|grep)|#|sed|awk|cat|man|history)\b|^\S*#")
#: its message is prose, e.g. `git commit -m 'never rm -rf /'`
_QUOTED = re.compile(r"^git commit\b")
#: SQL counts where a database client runs it, e.g. `psql -c 'DROP TABLE users'`, `docker exec db`
SQL_CLIENT = any_of(
    r"^(?:sudo )?(?:psql|mysql|sqlite3|mariadb|clickhouse|docker exec|kubectl exec)\b", r"^\w*sql"
)
#: where one command of a line ends and the next begins, e.g. `make && make test`, `cd /repo; ls`
COMMAND_END = re.compile(r"&&|\|\||;\s|\n")

#: shapes that are a secret wherever they appear, each with the letters it begins with (looked for first: a text
#: without them is passed over at once); the redactor knows many more, here few and sure ones count, e.g.
#: `AKIAIOSFODNN7EXAMPLE`, `-----BEGIN RSA PRIVATE KEY-----`
SECRETS = (
    ("AWS key id", ("AKIA", "ASIA"), re.compile(r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b")),
    (
        "GitHub token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}\b|\bgithub_pat_[A-Za-z0-9_]{60,}\b"),
    ),
    (
        "LLM API key",
        ("sk-", "gsk_"),
        re.compile(r"\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{24,}\b|\bgsk_[A-Za-z0-9]{40,}\b"),
    ),
    ("Slack token", ("xox",), re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{20,}\b")),
    ("private key", ("-----BEGIN ",), re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----")),
    ("Google API key", ("AIza",), re.compile(r"\bAIza[A-Za-z0-9_-]{35}\b")),
    ("GitLab token", ("glpat-",), re.compile(r"\bglpat-[A-Za-z0-9_-]{20}\b")),
    ("Hugging Face token", ("hf_",), re.compile(r"\bhf_[A-Za-z0-9]{34}\b")),
    ("npm token", ("npm_",), re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    ("Stripe key", ("k_live_",), re.compile(r"\b[rs]k_live_[A-Za-z0-9]{20,}\b")),
    ("Telegram bot token", (":AA",), re.compile(r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b")),
    # of a server, not of the machine itself, and no word alone: `postgres://app:k3Rw-19x@db.shop.example.net/app`
    (
        "database password",
        ("://",),
        re.compile(
            r"\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|redis|amqps?)(?:\+\w{1,20})?://[^\s:/@'\"`]{1,64}:"
            r"(?=[^\s@]{0,79}\d)[^\s@/'\"`<>${}*\[\]]{6,80}@(?!127\.|0\.0)[\w-]{1,63}(?:\.[\w-]{1,63})+"
        ),
    ),
)
#: "AKIAIOSFODNN7EXAMPLE", "sk-your-key-here"
EXAMPLE = re.compile(r"example|sample|dummy|test|fake|xxxx|\*{3}|placeholder|your[-_ ]", re.IGNORECASE)
#: what is said before such a shape, e.g. `for example AKIA`, `a dummy token: ghp_`, `test_key = sk-`
_CALLED_EXAMPLE = re.compile(
    r"\b(?:example|sample|dummy|fake|placeholder|test[-_ ](?:key|token|secret))", re.IGNORECASE
)
#: characters before a secret in which it may be called an example; a choice, not measured
_BEFORE = 30


def risky_parts(command: str) -> Iterator[tuple[str, str]]:
    """(kind, part) for each part of a command line that cannot be taken back or switches a check off.

    Kinds: wiped, forced, dropped, torn_down, opened, piped, discarded, unchecked. Parts that only speak of a
    command are left out; each part gives its first kind alone.
    """
    for part in (piece.strip() for piece in COMMAND_END.split(command)):
        if not part or _MENTION.match(part):
            continue
        told = part.split(" -m")[0] if _QUOTED.match(part) else part
        for kind, shape in RISKS:
            if shape.search(told) and (kind != "dropped" or SQL_CLIENT.search(told)):
                yield kind, part
                break


def find_secrets(text: str) -> list[tuple[str, re.Match[str]]]:
    """The first secret of each kind in `text`; one that calls itself an example, or is called one, is left out."""
    found = []
    for kind, starts, pattern in SECRETS:
        if not any(start in text for start in starts):
            continue
        match = next((m for m in pattern.finditer(text) if not _is_example(text, m)), None)
        if match is not None:
            found.append((kind, match))
    return found


def _is_example(text: str, match: re.Match[str]) -> bool:
    """Judged by the secret and the words right before it: "run its tests and use ghp_..." is not an example."""
    begin = text.rfind("\n", 0, match.start()) + 1
    before = text[max(begin, match.start() - _BEFORE) : match.start()]
    return EXAMPLE.search(match.group()) is not None or _CALLED_EXAMPLE.search(before) is not None
