"""Secrets told in a sentence: `the password for db is x`, `密码 x，`, `nimm x als Passwort`, `login: bob / x`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.redaction.secrets.names import Strength
from ultron_core.redaction.secrets.values import chosen, is_secret, is_stand_in
from ultron_core.redaction.spans import Span, ends_of, lowered

__all__ = ["login_pairs", "told_secrets"]

_C = "REDACTED_CREDENTIAL"
#: what may stand between a noun and its value: words of being and becoming
_BEING = (
    r"is|was|are|be|being|now|to|still|just|ist|lautet|war|heißt|auf|est|sera|es|era|será|é|è|eh|это|теперь|jest|är|er"
    r"|on|olarak|là|adalah|with|:="
)
#: the same, written without spaces
_BEING_TOGETHER = r"将是|は|が|を|로|는|은|이|가|是|为|就是|改成|改为|设为|设成|设置为|设置成|换成|叫|用的是"
#: whose or what for, e.g. ` for staging`, ` от базы`
_WHOSE = (
    r"(?:[ \t](?:for|of|on|to|at|from|in|von|für|zu|zum|zur|der|des|vom|de|du"
    r"|del|da|do|della|pour|para|per|от|для|к|dla|voor|van|för)"
    r"(?:[ \t](?!(?:is|was|to)\b)[\w.@/'-]{1,30}){1,3}?(?=[ \t:：,，]))?"
)
_MARKS = r"[ \t:：,，=—–\"'`*_(（「『“-]"
_VALUE = r"(?P<value>[^\s\"'`<>,，。;；、|」』”（）()\[\]{}]{6,100})"
#: e.g. ` for staging is s3cr3t-Pw9`, `改成 s3cr3t-Pw9`
_AFTER = re.compile(
    rf"(?i)(?:[ \t](?:d['’]|de[ \t])?(?:api|secr\w{{1,5}}|priv\w{{1,5}}|acc[eè]s\w{{0,2}}))?{_WHOSE}"
    rf"(?P<being>{_MARKS}{{0,4}}(?:(?:(?<!\w)(?:{_BEING})(?=[ \t:：])|{_BEING_TOGETHER}){_MARKS}{{0,4}}){{0,3}})"
    rf"(?:(?<=[\"'])(?P<quoted>[^\"'\r\n]{{4,100}})[\"']|{_VALUE})"
)
#: before a noun, the value first, e.g. ` is the `, ` als `, ` 这个`
_LINK = re.compile(
    r"[\"'`*_」』”)]{0,3}[ \t]{0,2}(?:,[ \t])?(?:(?:\b(?:is|as|ist|als|est|comme"
    r"|es|como|come|è|é|jako|som|olarak|это|как)\b(?:[ \t]\w{1,10}){0,2}[ \t]{1,2})"
    r"|(?:这个|作为|就是|当作|当|是[\u4e00-\u9fff\w]{0,8}|が|を|는|가)[ \t]?)$",
    re.I,
)
#: the word before, e.g. ` s3cr3t-Pw9`
_LAST = re.compile(r"[^\s\"'`#;,，。/<>（(\[\]{}]{6,100}$")
#: a path, a variable, an address, the name of an algorithm, e.g. `/etc/x`, `$TOKEN`, `SHA-256`
_NO_VALUE = re.compile(
    r"[/~$<{\[@]|\.{1,2}/|https?:|(?i:sha|md|aes|rsa|base|argon|utf|oauth|bcrypt|scrypt|pbkdf|ed|hs|rs|tls|http)-?\d"
)
#: of a noun that names something else, e.g. ` hash`, `长度`
_ABOUT = re.compile(
    r"[ \t_-]{0,2}(?:hash|length|field|input|manager|policy|prompt|reset|file|column|algorithm|encoder|type|format"
    r"|generator|check|rule|strength|limit|protect|form|page|长度|字段|哈希|算法|框|错误|重置|管理)",
    re.I,
)
#: the words of who logs in, e.g. `login: bob / s3cr3t-Pw9`
_LOGINS = ("cred", "login", "log in", "account", "sign in", "zugangsdaten", "账号", "账户", "логин")
#: what follows them, e.g. `: bob / s3cr3t-Pw9`, `s are bob:s3cr3t-Pw9`
_PAIR = re.compile(
    r"(?:s|entials?)?[ \t]{0,2}(?:is|are|with|as|[:=：])?"
    rf"{_MARKS}{{1,4}}[\w.@-]{{1,40}}[`\"']?"
    rf"(?:[ \t]{{0,2}}[/:|,][ \t]{{0,2}}|[ \t](?:and|und|et|y|и)[ \t])[`\"']?{_VALUE}"
)


def told_secrets(text: str, start: int, end: int, grade: Strength) -> Iterator[Span]:
    """The value that a sentence gives to the noun from `start` to `end`, behind it or before it."""
    about = _ABOUT.match(text, end)
    after = None if about else _AFTER.match(text, end)
    if after:
        group = "quoted" if after["quoted"] is not None else "value"
        value = _bare(after[group])
        # in Chinese a sentence goes on with Chinese: `密码 abc12345`
        being = bool(re.search(r"\w|[:：=]", after["being"])) or text[start] > "\u2e80"
        phrase = value.count(" ") >= 3 and text[start:end].lower().endswith("phrase")
        quoted = group == "quoted" and being and is_secret(grade, value, quoted=True)
        cut = after[group].endswith(("..", "…")) or text[after.end() : after.end() + 1] in ("[", "(", "{")
        if cut:  # a call, or cut off by whoever wrote it
            return
        if phrase or quoted or _told(value, grade, being=being):
            yield Span(after.start(group), after.start(group) + len(value), _C)
            return
    link = None if about else _LINK.search(text, max(0, start - 28), start)
    last = _LAST.search(text, max(0, link.start() - 100), link.start()) if link else None
    if last and _told(last[0].lstrip("*_"), grade, being=False):
        yield Span(*last.span(), _C)


def login_pairs(text: str) -> Iterator[Span]:
    """The second of a user and a password."""
    for end in ends_of(lowered(text), _LOGINS):
        match = _PAIR.match(text, end)
        value = _bare(match["value"]) if match else ""
        if match and _told(value, Strength.PASSWORD, being=False):
            yield Span(match.start("value"), match.start("value") + len(value), _C)


def _bare(value: str) -> str:
    return value.rstrip(".!?:*_~。")


def _told(value: str, grade: Strength, *, being: bool) -> bool:
    """Is it a password as people choose them, or what a machine made, and not how a sentence goes on?"""
    if is_stand_in(value) or _NO_VALUE.match(value):
        return False
    if grade < Strength.STRONG:
        return is_secret(grade, value, quoted=True)
    return chosen(value) or (
        being and bool(re.search(r"\d", value)) and is_secret(grade, value, quoted=False)
    )
