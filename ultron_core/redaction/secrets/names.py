"""Which names stand for a secret: `DB_PASSWORD`, `apiKey`, `client-key-data`, `密码`; and how surely."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache

__all__ = ["FOREIGN", "FOREIGN_KEYS", "STEMS", "Strength", "strength"]


class Strength(IntEnum):
    """What a name says about its value."""

    NONE = 0
    #: a token, key or cookie: a secret when the value looks random
    WEAK = 1
    #: a token that logs somebody in: also a short value, when letters and digits mix
    TOKEN = 2
    #: an API key or client secret: a secret unless the value looks like code or a stand-in
    STRONG = 3
    #: a password: people choose them, so that short and simple values count
    PASSWORD = 4


#: a password in other languages, a name by itself: `contraseña: x`. "clave" is another word too
FOREIGN = (
    "contraseña", "mot de passe", "пароль", "senha", "パスワード", "비밀번호", "hasło", "wachtwoord", "şifre",
    "암호", "parola", "كلمة المرور", "κωδικός", "zugangsdaten", "暗証番号", "mật khẩu",
    "kennwort", "lösenord", "adgangskode", "passord", "salasana", "heslo", "jelszó", "lozinka",
)  # fmt: skip
#: keys and tokens in other languages: random values behind them go, e.g. `API-Schlüssel: 8sK2mQ9xT4vB7nR1`
FOREIGN_KEYS = (
    "schlüssel", "clé", "clave", "chave", "chiave", "ключ", "токен", "jeton", "klucz", "sleutel",
    "トークン", "キー", "토큰", "키는",
)  # fmt: skip
#: one of these is in every name that counts; texts are searched for them first
STEMS = (
    "pass", "pwd", "secret", "key", "token", "cred", "auth", "cookie", "psw", "connection_string", "_pw", "sonar",
    "cloudflare", "heroku", "datadog", "facebook", "twitter", "discord", "netlify", "confluent", "fastly", "sumologic",
    "密码", "口令", "密钥", "秘钥", "令牌", "凭证", "psk", " pw", " pin", " mdp", *FOREIGN, *FOREIGN_KEYS,
)  # fmt: skip

#: where the words of a name part, e.g. `_` of DB_PASSWORD, `dbPassword`
_SPLIT = re.compile(r"[^A-Za-z0-9\u4e00-\u9fff]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: words behind the one that counts: `PASSWORD_PROD`, `api_key_2`, `client-key-data`
_BEHIND = frozenset(
    [
        "value", "values", "env", "prod", "production", "dev", "staging", "live", "test", "base64", "b64", "plain",
        "plaintext", "text", "string", "str", "raw", "new", "old", "current", "data", "hash", "main", "default",
        "primary", "secondary", "base", "a", "b", "x"
    ]
)  # fmt: skip
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "pwd", "passwort", "psw")
_PASS = frozenset(
    [
        "pass", "dbpass", "smtppass", "userpass", "mypass", "rootpass", "adminpass", "ftppass", "sshpass", "mailpass",
        "mysqlpass", "pgpass", "redispass", "imappass", "ldappass", "slpass", "authpass", "pw", "psk", "mdp", "pin"
    ]
)  # fmt: skip
_SECRET_KEYS = (
    "api", "secret", "private", "access", "encryption", "encrypt", "signing", "account", "shared", "master",
    "storage", "auth", "service", "consumer", "license", "subscription", "deploy", "webhook", "hmac", "aes", "jwt",
    "ssh", "rsa", "integration", "ingest", "admin", "root", "client", "application", "app",
)  # fmt: skip
_KEY_SUFFIXES = tuple(
    f"{word}key" for word in _SECRET_KEYS if word not in ("app", "client", "root", "admin", "rsa")
)
#: keys of tables, caches, sorting, translation and keyboards
_PLAIN_KEYS = frozenset(
    [
        "public", "primary", "foreign", "cache", "partition", "sort", "idempotency", "dict", "map", "lookup", "group",
        "composite", "unique", "natural", "candidate", "hot", "short", "arrow", "translation", "message", "i18n", "row",
        "column", "index", "registry", "object", "s3", "bucket", "file", "path", "storage_path", "cluster", "shard",
        "routing", "config", "setting", "settings", "env", "id", "name", "first", "last", "next", "prev", "sorted",
        "query", "dedup", "dedupe", "lock", "order", "property", "field", "json", "param", "parameter", "attribute",
        "item", "metric", "label", "tag", "image", "state", "session_state", "host", "hash", "tree", "binding",
        "foreground"
    ]
)  # fmt: skip
#: a flag that takes no value, e.g. `--no-redact-secrets`, `--skip-auth`
_SWITCH = re.compile(
    r"--(?:no|skip|disable|enable|without|ignore|hide|show|redact|allow|require|use|list|get|has)-"
)
#: programs that keep passwords, and words that end so
_PROGRAMS = frozenset(
    ["1password", "onepassword", "lastpass", "keepass", "bypass", "compass", "nordpass", "protonpass"]
)
_HAN = ("密码", "口令", "密钥", "秘钥")
_HAN_WEAK = ("令牌", "凭证")
_WEAK = (
    "token", "credential", "credentials", "cred", "creds", "cookie", "authorization", "authkey", "apitoken",
)  # fmt: skip
#: of `access_token`, `refreshToken`; a `page_token` or a bare `token` is as often a count or a cursor
_LOGINS = frozenset(
    ("access", "refresh", "auth", "bearer", "id", "api", "session", "secret", "client", "user")
)
#: their keys have no shape of their own; a random value behind the bare name is one: `cloudflare: "0574b9..."`
_VENDORS = frozenset(
    [
        "cloudflare", "heroku", "datadog", "facebook", "twitter", "discord", "netlify", "confluent", "fastly",
        "sumologic"
    ]
)  # fmt: skip


@lru_cache(maxsize=50_000)
def strength(name: str) -> Strength:
    """How surely a variable, key, header or flag of this name holds a secret; `max_tokens` and `key_id` do not."""
    if name in (
        "PASS",
        "Pass",
        "Key",
        "KEY",
    ):  # `--- PASS: TestFTSQuery/empty` of go test; a heading of a table
        return Strength.NONE
    if name.lower() in FOREIGN:
        return Strength.PASSWORD
    if name.lower() in FOREIGN_KEYS:
        return Strength.WEAK
    if (name.startswith("-") and _SWITCH.match(name)) or name.lower() in _PROGRAMS:
        return Strength.NONE
    if name.endswith((*_HAN, *_HAN_WEAK)):
        return Strength.PASSWORD if name.endswith(_HAN) else Strength.WEAK
    words = [re.sub(r"\d+$", "", word).lower() or "0" for word in _SPLIT.split(name) if word]
    while len(words) > 1 and (words[-1] in _BEHIND or words[-1] == "0"):
        words.pop()
    return _judge(words) if words else Strength.NONE


def _judge(words: list[str]) -> Strength:
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    joined = "".join(words)
    if last.endswith(_PASSWORDS) or joined.endswith(_PASSWORDS) or last in _PASS:
        return Strength.PASSWORD
    if last.endswith("secret") or last == "secrets":
        return Strength.STRONG
    if last == "key":
        if before in _SECRET_KEYS:
            return Strength.STRONG
        return Strength.NONE if before in _PLAIN_KEYS else Strength.WEAK
    if last.endswith(_KEY_SUFFIXES):
        return Strength.STRONG
    if last == "token" and before in _LOGINS:
        return Strength.TOKEN
    if last.endswith("token") or last in _WEAK or (last == "auth" and joined in ("auth", "npmauth")):
        return Strength.WEAK
    if last in _VENDORS or joined.endswith("sonarlogin") or (last == "string" and before == "connection"):
        return Strength.WEAK
    return Strength.NONE
