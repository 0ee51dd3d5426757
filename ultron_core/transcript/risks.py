"""What can destroy data or leak it: commands that cannot be taken back, and text that is a secret for sure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.transcript.speech import any_of

__all__ = ["SECRETS", "find_secrets", "risky_parts"]

#: kind -> shapes of one command
_RISKS = (
    (
        "wiped",
        any_of(
            # "rm -rf ~/", "sudo rm -rf /var/lib", "rm -rf *"
            r"^(?:sudo )?rm\s+(?:-\S+\s+)*-(?:\w*r\w*f|\w*f\w*r)\w*\s+(?:\S+\s+)*"
            r"(?:/|/\*|~/?|~/\*|\$HOME/?\*?|\*|\.|\./|\.\.|\.git|"
            r"/(?:etc|usr|var|home|opt|root|bin|lib)(?:/[\w.-]+)?/?)(?:\s|$)",
            # "mkfs.ext4 /dev/sda1", "dd if=a.img of=/dev/sda"
            r"^(?:sudo )?(?:mkfs(?:\.\w+)?\s|dd\s+.*\bof=/dev/(?!null))",
            # "git clean -fdx"
            r"^git clean\s+(?:-\S+\s+)*-\w*f\w*x\w*\b",
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
#: parts that only mention a command: "echo 'DROP TABLE users'", "git commit -m 'never rm -rf /'"
_MENTION = re.compile(r"^(?:echo|printf|grep|rg|git (?:log|grep)|#|sed|awk|cat|man|history)\b|^\S*#")
_QUOTED = re.compile(r"^git commit\b")
#: SQL counts where a database client runs it
_CLIENT = any_of(
    r"^(?:sudo )?(?:psql|mysql|sqlite3|mariadb|clickhouse|docker exec|kubectl exec)\b", r"^\w*sql"
)
_SPLIT = re.compile(r"&&|\|\||;\s|\n")

#: shapes that are a secret wherever they appear; redaction knows many more, here few and sure ones count
SECRETS = (
    ("AWS key id", re.compile(r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b")),
    ("GitHub token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}\b|\bgithub_pat_[A-Za-z0-9_]{60,}\b")),
    ("LLM API key", re.compile(r"\bsk-(?:proj-|ant-)?[A-Za-z0-9_-]{24,}\b")),
    ("Slack token", re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{20,}\b")),
    ("private key", re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----")),
    ("Google API key", re.compile(r"\bAIza[A-Za-z0-9_-]{35}\b")),
    ("GitLab token", re.compile(r"\bglpat-[A-Za-z0-9_-]{20}\b")),
    ("Hugging Face token", re.compile(r"\bhf_[A-Za-z0-9]{34}\b")),
    ("npm token", re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    ("Stripe key", re.compile(r"\b[rs]k_live_[A-Za-z0-9]{20,}\b")),
)
#: "AKIAIOSFODNN7EXAMPLE", "sk-your-key-here"
_EXAMPLE = re.compile(r"example|sample|dummy|test|fake|xxxx|\*{3}|placeholder|your[-_ ]", re.IGNORECASE)


def risky_parts(command: str) -> Iterator[tuple[str, str]]:
    """(kind, part) for each part of a command line that cannot be taken back or switches a check off.

    Kinds: wiped, forced, dropped, torn_down, opened, piped, discarded, unchecked. Parts that only speak of a
    command are left out; each part gives its first kind alone.
    """
    for part in (piece.strip() for piece in _SPLIT.split(command)):
        if not part or _MENTION.match(part):
            continue
        told = part.split(" -m")[0] if _QUOTED.match(part) else part
        for kind, shape in _RISKS:
            if shape.search(told) and (kind != "dropped" or _CLIENT.search(told)):
                yield kind, part
                break


def find_secrets(text: str) -> list[tuple[str, re.Match[str]]]:
    """The first secret of each kind in `text`; one in a line that calls itself an example is left out."""
    found = [(kind, pattern.search(text)) for kind, pattern in SECRETS]
    return [(kind, match) for kind, match in found if match and not _EXAMPLE.search(_line_of(text, match))]


def _line_of(text: str, match: re.Match[str]) -> str:
    begin = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    return text[begin : end if end >= 0 else len(text)]
