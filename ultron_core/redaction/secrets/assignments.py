"""Values behind a name: `DB_PASSWORD=x`, `"apiKey": "x"`, `密码：x`, `--token x`, `<secret>x</secret>`, YAML blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.redaction.secrets.names import FOREIGN, FOREIGN_KEYS, STEMS, Strength, strength
from ultron_core.redaction.secrets.prose import told_secrets
from ultron_core.redaction.secrets.values import is_secret
from ultron_core.redaction.spans import Span, lowered

__all__ = ["assigned_secrets", "credential_name", "credential_value"]

_C = "REDACTED_CREDENTIAL"
_NAME_CHARS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.")
_ASCII_STEMS = tuple(stem for stem in STEMS if stem.isascii())
#: e.g. `contraseña`
_FOREIGN = re.compile("|".join((*FOREIGN, *FOREIGN_KEYS)), re.IGNORECASE)
#: characters of a name before a value
_LONGEST = 80
_Q = r"\"'`"
#: the value: in quotes (escaped ones as in JSON inside JSON), else up to a space, quote, comma, semicolon or tag
_VALUE = (
    r"(?:[@brfuL]{0,2}(?:\\{1,3}\"(?P<eq>[^\"\\\r\n]{1,400})\\|\"(?P<dq>(?:[^\"\\\r\n]|\\.){1,400}+)\"|'(?P<sq>(?:[^'\\\r\n]|\\.){1,400}+)'"
    r"|`(?P<bq>[^`\r\n]{1,200})`)|(?P<raw>[^\s\"'`<,;][^\s\"'`,;]{0,400}))"
)
_TYPE = r"(?:\s{0,3}:?\s{0,2}(?:Optional\[)?(?:str|string|String|SecretStr|char\s?\*|&str|&'static str|bytes|any|text|NSString\s?\*)\]?\??)?"  # noqa: E501
#: what follows a telling name, e.g. `: "s3cret"`, `=s3cret`, ` := 's3cret'`, `是 s3cret`, `:** s3cret`
_REST = re.compile(
    rf"(?P<close>\\{{0,3}}[{_Q}]?\]{{0,2}}[{_Q}]?(?:\[\]|\*\*|__)?){_TYPE}"
    r"(?P<sep>\s{0,3}(?::\*\*\s{1,3}|=>|->|:{0,3}=|[?+.|]{1,2}=|={2,3}|::|:|：|＝)\s{0,4}|\s{0,2}(?:是|为|\bis\b)\s{0,3}[:：]?\s{0,2})(?:!!str\s)?"
    + _VALUE
)
#: `setPassword("x")`, `System.setProperty("X_TOKEN", "x")`, `private_key "x";`
_CALL = re.compile(
    rf"(?P<close>[{_Q}]?)(?P<sep>\s{{0,2}}[(,]\s{{0,2}}|\s{{1,2}})(?:\"(?P<dq>[^\"\\\r\n]{{1,400}})\"|'(?P<sq>[^'\\\r\n]{{1,400}})')"
    r"(?=\s{0,2}[),;}]|[ \t]{0,4}(?:[\r\n]|$))"
)
#: e.g. `,c2VjcmV0LXZhbHVl,`
_CSV = re.compile(r"(?P<close>)(?P<sep>,)(?P<raw>[^\s\"'`<>,;]{16,400})(?=[,\r\n]|$)")
#: e.g. ` s3cret` of "--password s3cret", `=s3cret`
_FLAG = re.compile(r"(?P<close>)(?P<sep>[ \t]{1,4}|=)" + _VALUE)
#: `["--password", "x"]`
_LIST_FLAG = re.compile(
    r"(?P<close>\\{0,3}[\"'])(?P<sep>\s{0,3},\s{0,20})(?:\\{1,3}\"(?P<eq>[^\"\\\r\n]{1,400})\\|\"(?P<dq>[^\"\\\r\n]{1,400})\"|'(?P<sq>[^'\\\r\n]{1,400})')"
)
#: also over lines, e.g. `<dbPassword>s3cret</dbPassword>`
_ELEMENT = re.compile(r"(?P<close>[\"']?)(?P<sep>>\s{0,40})(?P<raw>[^\s<>]{3,400})(?=\s{0,40}</)")
#: after a telling name, in this order, e.g. `", "value": "s3cret"` of `"name": "DB_PASSWORD", "value":
#: "s3cret"`, `" value="s3cret"`
_SIBLING = re.compile(
    rf"(?P<close>\\{{0,3}}[{_Q}]?)(?P<sep>[\s,/<>]{{1,40}}\\{{0,3}}[{_Q}]?(?i:value|val|content)\\{{0,3}}[{_Q}]?\s{{0,3}}[:=]\s{{0,3}})"
    + _VALUE
)
#: e.g. `"value": "s3cret", "name": "`
_BEFORE_SIBLING = re.compile(
    rf"(?i)[{_Q}]?value[{_Q}]?\s{{0,3}}[:=]\s{{0,3}}[{_Q}](?P<dq>[^{_Q}\\\r\n]{{1,200}})[{_Q}][\s,]{{1,30}}[{_Q}]?(?:name|key)[{_Q}]?\s{{0,3}}[:=]\s{{0,3}}[{_Q}]?$"
)
#: the next cell of a table, e.g. ` | s3cret1 |` of "| password | s3cret1 |"
_CELL = re.compile(
    r"(?P<close>[`*]{0,2})(?P<sep>[ \t]{0,40}\|[ \t]{0,4}`?)(?P<raw>[^\s|`]{4,200})(?=`?[ \t]{0,80}\|)"
)
#: Terraform, e.g. `" { default = "s3cret" }` of `variable "db_password" { default = "s3cret" }`
_DEFAULT = re.compile(
    r"(?P<close>\")(?P<sep>\s{0,3}\{[^{}]{0,200}?\bdefault\s{0,12}=\s{0,4})\"(?P<dq>[^\"\\\r\n]{1,400})\""
)
#: a block of YAML, e.g. `: |⏎  s3cret-value` of "password: |"
_BLOCK = re.compile(
    r"(?P<close>[\"']?)(?P<sep>\s{0,2}:\s{0,2}[|>][+-]?\d?[ \t]{0,4}\r?\n)(?P<raw>[ \t]{1,40}\S[^\r\n]{3,400}(?:\r?\n[ \t]{2,40}\S[^\r\n]{0,400}){0,40})"  # noqa: E501
)
#: commands that take name and value apart, e.g. `set -gx `, `ENV `, `aws configure `
_SET = re.compile(
    r"(?:\bset(?:\s{1,2}-{1,2}[a-zA-Z]{1,10}){0,3}|\bsetx|\bsetenv|\bENV|\bARG|config|configure|login)\s{1,4}$|\bEnv:$"
)
#: e.g. ` s3cret` of "ENV API_TOKEN s3cret"
_SET_VALUE = re.compile(r"(?P<close>[\"']?)(?P<sep>[ \t]{1,4})" + _VALUE)
#: e.g. `123e4567-e89b-12d3-a456-426614174000`
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
#: a row's id behind the bare word "key", e.g. `": "123e4567-e89b-12d3-a456-426614174000`
_KEY_OF_ID = re.compile(rf"[\\\"'\s:=]{{1,8}}{_UUID.pattern}(?!-?\w)")
#: e.g. ` # staging only`, `\n`
_LINE_END = re.compile(r"[ \t]{0,4}(?:[\r\n]|\\n|$|#)")
#: a sentence rather than an assignment, e.g. ` is `, `是`
_PROSE = re.compile(r"[是为]|is")
#: e.g. `&X-Amz-Signature=0123456789abcdef0123456789abcdef0123456789abcdef`
_SIGNED_URL = re.compile(r"[?&](?:sig|X-Amz-Signature|Signature)=([A-Za-z0-9%/+_-]{40,400}={0,2})")
#: Sidekiq's login for Bundler, e.g. `BUNDLE_GEMS__CONTRIBSYS__COM=cafebabe:deadbeef`
_SIDEKIQ = re.compile(r"CONTRIBSYS__COM[\"']?\s{0,3}[:=]\s{0,3}[\"']?([0-9a-f]{8}:[0-9a-f]{8})\b")
#: what a browser sends to stay logged in, found by its value, as `=` is rare, e.g. `=0123456789ABCDEF`
_SENT = re.compile(r"=[\"']?([A-Za-z0-9%._~+/-]{12,400}+)(?![\w(\[])")
#: its names, e.g. `JSESSIONID`, `?session`, `csrftoken`, `connect.sid`
_SESSION = re.compile(r"(?i:sess|[cx]srf|remember_|(?<![a-z])sid)[A-Za-z0-9_.-]{0,20}$")


def assigned_secrets(text: str) -> Iterator[Span]:
    """Spans of secret values only; the name stays readable."""
    done = 0
    for at in _stems(text):
        if at < done:
            continue
        start, end = _name_around(text, at)
        done = end
        grade = strength(text[start:end])
        if grade and not _elsewhere(text, start, end):
            values = list(_values(text, start, end, grade))
            yield from values
            if not values and text[start:end].replace(" ", "").isalpha():
                yield from told_secrets(text, start, end, grade)
    if "CONTRIBSYS" in text:
        for match in _SIDEKIQ.finditer(text):
            yield Span(*match.span(1), _C)
    if "ig" in text:
        for match in _SIGNED_URL.finditer(text):
            yield Span(*match.span(1), _C)
    for match in _SENT.finditer(text):
        named = _SESSION.search(text, max(0, match.start() - 30), match.start())
        if named and is_secret(Strength.WEAK, match[1], quoted=True) and not _UUID.fullmatch(match[1]):
            yield Span(*match.span(1), "REDACTED_TOKEN")


def credential_name(name: str) -> bool:
    """Does a JSON key name a secret (`db_password`, `apiKey`), not something about one (`max_tokens`)?"""
    return strength(name) > Strength.NONE


def credential_value(name: str, value: str) -> bool:
    """Is the string under a JSON key a secret, judged by name and value?"""
    grade = strength(name)
    if name == "key" and _UUID.fullmatch(value):
        return False
    return grade > Strength.NONE and is_secret(grade, value, quoted=True)


def _elsewhere(text: str, start: int, end: int) -> bool:
    """The `key` of an element of JSX, and a part of a resource's name: `<li key="a1">`, `arn:aws:..:secret:db-a1`."""
    if text[start:end] == "key":
        if _KEY_OF_ID.match(text, end):
            return True
        tag = text[max(0, start - 80) : start].rpartition("<")[2]
        return tag[:1].isalpha() and ">" not in tag and len(tag) < 80 and text[end : end + 1] == "="
    return text[start - 1 : start] == ":" and "arn:" in text[max(0, start - 80) : start].rpartition(" ")[2]


def _stems(text: str) -> list[int]:
    small = lowered(text)
    found = []
    for stem in _ASCII_STEMS if text.isascii() else STEMS:
        at = small.find(stem)
        while at >= 0:
            found.append(at + stem.startswith(" "))
            at = small.find(stem, at + len(stem))
    found.sort()
    return found


def _name_around(text: str, at: int) -> tuple[int, int]:
    """The whole name that the stem at `at` is part of; a Chinese one ends with the stem."""
    start, end = at, at + 1
    if foreign := _FOREIGN.match(text, at):
        return foreign.span()
    if text[at] >= "\u4e00":
        return at, at + 2
    while start and text[start - 1] in _NAME_CHARS and at - start < _LONGEST:
        start -= 1
    while end < len(text) and text[end] in _NAME_CHARS and end - at < _LONGEST:
        end += 1
    while end > at + 3 and text[end - 1] in ".-":
        end -= 1
    return start, end


def _values(text: str, start: int, end: int, grade: Strength) -> Iterator[Span]:
    name = text[start:end]
    if name.startswith("-"):
        match = _FLAG.match(text, end) or _LIST_FLAG.match(text, end)
        yield from _judged(text, match, grade, env=True)
    block = _BLOCK.match(text, end)
    if block and (grade >= Strength.STRONG or is_secret(grade, block["raw"].strip(), quoted=True)):
        raw = block.start("raw") + len(block["raw"]) - len(block["raw"].lstrip())
        if is_secret(Strength.STRONG, block["raw"].strip().split("\n")[0], quoted=True):
            yield Span(raw, block.end("raw"), _C)
            return
    match = _REST.match(text, end)
    if match:
        env = name.isupper() and "=" in match["sep"] and " " not in match["sep"]
        # `;Password=x;` of a connection string takes any value
        env = env or (text[start - 1 : start] == ";" and "=" in match["sep"])
        yield from _judged(text, match, grade, env=env, is_url=_in_query(text, start))
        return
    for pattern in (_CALL, _CSV, _ELEMENT, _SIBLING, _CELL, _DEFAULT):
        match = pattern.match(text, end)
        if match:
            sure = (
                Strength.WEAK
                if pattern is _CSV or (pattern is _CALL and match["sep"].strip() == "")
                else grade
            )
            yield from _judged(
                text,
                match,
                sure if pattern is not _CALL or grade < Strength.STRONG else grade,
                env=pattern is _ELEMENT and not match["close"],
            )
            return
    before = _BEFORE_SIBLING.search(text, max(0, start - 300), start)
    if before and is_secret(grade, before["dq"], quoted=True):
        yield Span(*before.span("dq"), _C)
    if _SET.search(text, max(0, start - 20), start):
        match = _SET_VALUE.match(text, end)
        # "set password policy" is a sentence
        if match and not (name.isalpha() and name.islower() and (match["raw"] or "").isalpha()):
            yield from _judged(text, match, grade, env=True)


def _judged(
    text: str, match: re.Match[str] | None, grade: Strength, *, env: bool, is_url: bool = False
) -> Iterator[Span]:
    if match is None:
        return
    group = next(name for name in ("eq", "dq", "sq", "bq", "raw") if match.groupdict().get(name) is not None)
    start, end = match.span(group)
    value, quoted = match[group], group != "raw"
    if not quoted:
        if value.endswith(("...", "…")):  # cut off by whoever wrote it
            return
        value = _trim(value, is_url=is_url)
        end = start + len(value)
        if text[end : end + 1] in ("(", "["):
            return
        if (
            match["close"] == ""
            and _PROSE.search(match["sep"])
            and text[match.start() - 1].isascii()
            and not re.search(r"\d|[^\w.]", value)
        ):
            return
    last = not quoted and bool(_LINE_END.match(text, end))
    if is_secret(grade, value, quoted=quoted, env=env, last=last):
        yield Span(start, end, _C)


def _in_query(text: str, start: int) -> bool:
    before = text[max(0, start - 200) : start]
    return "?" in before.rpartition(" ")[2] or before.endswith("&")


def _trim(value: str, *, is_url: bool) -> str:
    """An unquoted value ends before closing punctuation or a tag, and in a query before the next field."""
    if is_url:
        value = value.partition("&")[0].partition("#")[0]
    value = re.split(r"[，。；、）】”’！]|\\[nrt\"]|</", value, maxsplit=1)[0]
    kept = value.rstrip(".,;:\\?")
    kept = kept.removesuffix("**").removesuffix("__")  # Markdown
    # the closing bracket of what surrounds it: `(password=x9y8z7)`; one that is opened inside stays
    while (
        kept
        and kept[-1] in ")]}!"
        and kept.count(kept[-1]) > kept.count({")": "(", "]": "[", "}": "{", "!": "!"}[kept[-1]])
    ):
        kept = kept[:-1].rstrip(".,;:\\?")
    return kept
