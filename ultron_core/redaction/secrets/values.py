"""Is the value behind a secret's name a secret, or a stand-in, a template, a type, a piece of code?"""

from __future__ import annotations

import re
from functools import lru_cache

from ultron_core.redaction.secrets.names import Strength, strength
from ultron_core.redaction.wordlike import made_by_machine

__all__ = ["chosen", "is_secret", "is_stand_in", "random_looking"]

_STAND_IN_WORDS = frozenset(
    [
        "your", "my", "the", "a", "an", "some", "example", "examples", "change", "changeme", "me", "changeit",
        "placeholder", "redacted", "hidden", "todo", "tbd", "none", "null", "nil", "undefined", "true", "false", "yes",
        "no", "optional", "required", "string", "str", "text", "bytes", "int", "any", "env", "secret", "secrets",
        "password", "passwords", "pass", "passwd", "pwd", "passphrase", "token", "tokens", "key", "keys", "api",
        "apikey", "access", "auth", "value", "values", "here", "insert", "enter", "type", "fake", "dummy", "xxx",
        "user", "username", "userid", "client", "id", "name", "new", "old", "current", "default", "sample", "foo",
        "bar", "baz", "is", "not", "set", "missing", "empty", "unknown", "invalid", "wrong", "incorrect", "expired",
        "reset", "forgot", "forgotten", "prompt", "field", "input", "self", "this", "config", "settings", "environ",
        "process", "os", "variable", "var", "vars", "const", "let", "def", "data", "body", "request", "req", "args",
        "param", "params", "option", "options", "object", "function", "bearer", "basic", "it", "with", "for", "from",
        "file", "path", "must", "should", "was", "were", "be", "been", "and", "or", "to", "of", "in", "on", "at",
        "public", "private", "replace", "goes", "abc", "only", "when", "where", "valid", "bool", "boolean", "number",
        "float", "list", "dict", "array", "json", "field", "model", "column", "varchar", "char", "credentials",
        "credential", "login", "header", "getpass", "prompt", "generate", "generated", "random", "crypto", "hash",
        "digest", "see", "use", "using", "used", "needed", "via", "stored", "strings", "plain", "plaintext",
        "encrypted", "hashed", "masked", "omitted", "removed"
    ]
)  # fmt: skip
_STAND_IN_ENDS = frozenset(("key", "token", "secret", "password", "here", "apikey", "id"))
#: the words of a value, to see stand-ins, e.g. `your` of "yourApiKey"
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")
#: `${NAME}`, `$env:NAME`, `{{ name }}`, `$(command)`, `%(name)s`, `***`, `xxxxx`, `...`, `<name>`, `[NAME]`, `%NAME%`
_TEMPLATE = re.compile(
    r"\$\{[\w.:?!/ -]{0,120}(?:\}|$)|\{\{[\s\w$.|:\"'()-]{0,120}\}\}|\$\(|%\(\w{1,60}\)|\*{3,}|x{5,}|X{5,}|\.{3}|…|<[^<>]{0,80}>?|•{3}"  # noqa: E501
    r"|^\$(?:[A-Za-z]{1,20}:)?[A-Za-z_]\w*$|^\$\d$|^%\w+%$|^%[sdr]$|^\{[A-Za-z_.]{0,80}\}$|^\[[A-Za-z_ -]{0,80}\]$|#\{"
)
#: a variable rather than its value, e.g. `settings.password`, `config->token`
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)*")
#: a name rather than a secret, e.g. `my-bucket-01`, `prod_key`
_ENDS_IN_NUMBER = re.compile(r"(?:[A-Za-z]+[_.-])+(?:[A-Za-z]+|\d{1,4})|[A-Za-z_.-]+\d{1,2}")
#: a model or a build, e.g. `Llama-3.1-8B-awq`, `Qwen2.5-7B-Instruct`
_VERSIONED = re.compile(
    r"(?:[A-Za-z]{3,}\d?(?:\.\d{1,2})?|\d{1,3}(?:\.\d{1,3}){0,2}[A-Za-z]?)(?:-(?:[A-Za-z]{3,}\d?|\d{1,3}(?:\.\d{1,3}){0,2}[A-Za-z]?)){2,7}"
)
#: a package, e.g. `vllm==0.11.0`
_PINNED = re.compile(r"[A-Za-z][\w.-]{0,60}[=~<>!]=\d[\w.]{0,20}")
#: e.g. `v1.2.3`, `2024-05-17`
_VERSION = re.compile(r"[vV]?\d{1,4}(?:[.:/-]\d{1,4}){1,4}(?:[a-z-]\w{0,10})?")
#: at the end of a line; camel case and underscores are variables. In 17 MB of logs it hits nothing, e.g. `swordfish`
_ONE_WORD = re.compile(r"[A-Z]?[a-z]{5,30}|[A-Z]{5,30}")
#: letters, digits and letters again, or the other way round, e.g. `xyz123abc`, `7f3k9`
_SHORT_TOKEN = re.compile(r"(?=\w{5,40}$)(?:[A-Za-z]+\d+[A-Za-z]|\d+[A-Za-z]+\d)[A-Za-z0-9]*")
#: what begins as a path does, e.g. `/G3SaoKfgFoeOASl1YCJlS24R5gA2q+yfHwuEHFhvTS=`
_BASE64 = re.compile(r"/[A-Za-z0-9+/]{22,400}={1,2}")
#: e.g. `0123456789abcdef`
_HEX = re.compile(r"[0-9a-fA-F]{16,}")
#: e.g. `123e4567-e89b-12d3-a456-426614174000`
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
#: words with a number behind, e.g. `Python-3`, `HttpClient2`
_NUMBERED = re.compile(r"[A-Za-z]+(?:[_-][A-Za-z]+)*[_-]?\d{1,4}")
#: e.g. `a1`, `9f`
_SWITCHES = re.compile(r"[a-zA-Z](?=\d)|\d(?=[a-zA-Z])")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
#: where the secret is kept, e.g. `certs/server.key`
_FILE = re.compile(
    r".{1,200}\.(?:py|js|ts|tsx|jsx|json|ya?ml|toml|txt|md|pem|key|crt|env|cfg|ini|conf|html|css|sh|go|rs|java)",
    re.I,
)


def is_secret(grade: Strength, value: str, *, quoted: bool, env: bool = False, last: bool = False) -> bool:
    """Judged by the name, the value, whether quotes hold it, whether it is `NAME=value` and the last on its line."""
    if (
        len(value) < 4
        or is_stand_in(value)
        or (value[0] == "/" and not _BASE64.fullmatch(value))
        or value.startswith(("./", "../", "~/", "http://", "https://", "--"))
    ):
        return False
    if len(set(value)) == 1 or _FILE.fullmatch(value) or _PINNED.fullmatch(value):
        return False
    if grade <= Strength.TOKEN:
        return _weak(value, quoted or env) or (
            grade == Strength.TOKEN and bool(_SHORT_TOKEN.fullmatch(value))
        )
    if quoted:
        # words with spaces are a message or a label ("Enter your password"), unless digits mix in
        return " " not in value or (bool(re.search(r"\d", value)) and value.count(" ") <= 5)
    if value.startswith(("&", "*", "|", "=", "!", "-", "+")) and not random_looking(value):
        return False
    if _is_code(value):
        return False
    if env:
        return not re.fullmatch(r"\d{1,3}|[A-Za-z]{1,3}", value)
    return _raw(grade, value) or (last and grade == Strength.PASSWORD and bool(_ONE_WORD.fullmatch(value)))


def _raw(grade: Strength, value: str) -> bool:
    """Without quotes and not `NAME=value`: `password: hunter2` is a password, `password: form.password2` is code."""
    if _VERSION.fullmatch(value) and not value.isdigit():
        return False
    if value.isdigit():
        return grade == Strength.PASSWORD and len(value) >= 4
    if _IDENTIFIER.fullmatch(value):
        if random_looking(value) and "." not in value:
            return True
        # hunter2, Summer2024: a word and a number is what people choose, `password1` is a variable
        simple = re.fullmatch(r"[A-Za-z]{3,}\d{1,6}[A-Za-z]{0,3}", value)
        return bool(simple) and not is_stand_in(value.rstrip("0123456789"))
    return (
        len(value) >= 6 and bool(re.search(r"\d|[^\w.]", value)) and not re.fullmatch(r"[\d.,-]{1,7}", value)
    )


def _weak(value: str, held: bool) -> bool:
    """Behind `token`, `key`, `cookie`: random and long, shorter when quotes or `NAME=` hold it."""
    plain = value.removeprefix("Bearer ").removeprefix("Basic ")
    if " " in plain or len(plain) < (12 if held else 16) or _is_code(plain):
        return False
    if _HEX.fullmatch(plain) or _UUID.fullmatch(plain):
        return len(set(plain)) >= 5
    if len(plain) < 16:
        return random_looking(plain) and len(re.findall(r"[a-zA-Z]\d|\d[a-zA-Z]", plain)) >= 3
    return random_looking(plain) or (plain.isdigit() and len(plain) >= 18 and len(set(plain)) >= 5)


@lru_cache(maxsize=20_000)
def is_stand_in(value: str) -> bool:
    """`your-api-key`, `changeme`, `<token>`, `${DB_PASSWORD}`, `userPassword`: a word for a secret, none itself."""
    if _TEMPLATE.search(value):
        return True
    words = [word.lower() for word in _WORDS.findall(value)]
    if not words or re.search(r"[^\w\s.,:;'\"()/\[\]-]", value):
        return not words and len(set(value)) <= 2
    if all(word in _STAND_IN_WORDS or word in ("123", "1234", "1", "2") for word in words):
        return not any(word.isdigit() for word in words) or len(words) > 1
    if words[0] in ("your", "my", "insert", "enter", "replace") and not _STAND_IN_ENDS.isdisjoint(words):
        return True  # your-posthog-api-key
    # DB_PASSWORD, customerApiKey: the name of a secret in the place of one
    return bool(
        not re.search(r"\d", value) and _IDENTIFIER.fullmatch(value) and strength(value) > Strength.NONE
    )


def chosen(value: str) -> bool:
    """What people choose and programs generate for a password, and no sentence holds: letters and digits with a sign or
    both cases; `sha256`, `UTF-8`, `v1.2.3-rc1`, `docs/Part2.md` and `step-2` are none."""
    if not (len(value) >= 8 and re.search(r"\d", value) and re.search(r"[A-Za-z]", value)):
        return False
    if _VERSION.fullmatch(value) or _FILE.fullmatch(value) or _HEX.fullmatch(value) or _UUID.fullmatch(value):
        return False
    if _is_code(value) or re.search(r"\\|://|\w/\w|\w\.\w|\w@\w+\.", value):
        return False
    signs = re.search(r"[!@#$%^&*+?~]", value)
    both = re.search(r"[a-z]", value) and re.search(r"[A-Z]", value)
    return bool(signs or (both and not _NUMBERED.fullmatch(value)) or len(_SWITCHES.findall(value)) >= 3)


def random_looking(value: str) -> bool:
    """Letters and digits mixed, many different characters: made by a machine."""
    if len(value) >= 24 and value.isalpha() and value.isascii():
        return made_by_machine(value)
    return (
        bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value))
        and len(set(value)) >= min(8, len(value) - 1)
        and not _ENDS_IN_NUMBER.fullmatch(value)
        and not _VERSIONED.fullmatch(value)
    )


def _is_code(value: str) -> bool:
    """Brackets as code has them; those of a generated password close nothing that was opened."""
    opened: list[str] = []
    seen = False
    for char in value:
        if char in "([{":
            opened.append(char)
            seen = True
        elif char in _BRACKETS:
            seen = True
            if not opened or opened.pop() != _BRACKETS[char]:
                return False
    return seen
