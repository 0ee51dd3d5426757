"""Secrets on command lines and in SQL: `curl -u`, `mysql -p`, `sshpass -p`, `docker login -p`, `IDENTIFIED BY`.

A command is one line of `_FLAGS`: the program's name, the flag, and how its value is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ultron_core.redaction.secrets.names import Strength, strength
from ultron_core.redaction.secrets.values import is_secret, is_stand_in
from ultron_core.redaction.spans import Span, ends_of, lowered

__all__ = ["command_secrets"]

_C = "REDACTED_CREDENTIAL"
_GLUED, _APART, _EITHER = r"", r"[ \t=]{1,4}", r"[ \t=]{0,4}"
#: (program, flag, between flag and value)
_FLAGS: tuple[tuple[str, str, str], ...] = (
    ("mysql", "-p", _GLUED), ("mysqldump", "-p", _GLUED), ("mysqladmin", "-p", _GLUED), ("mariadb", "-p", _GLUED),
    ("mysqlimport", "-p", _GLUED), ("sshpass", "-p", _EITHER), ("docker login", "-p", _APART),
    ("podman login", "-p", _APART), ("nerdctl login", "-p", _APART), ("helm registry login", "-p", _APART),
    ("skopeo", "--creds", _APART), ("redis-cli", "-a", _APART), ("mongo", "-p", _APART), ("mongosh", "-p", _APART),
    ("mongodump", "-p", _APART), ("sqlcmd", "-P", _EITHER), ("bcp", "-P", _EITHER), ("ldapsearch", "-w", _APART),
    ("ldapadd", "-w", _APART), ("ldapmodify", "-w", _APART), ("zip", "-P", _APART), ("unzip", "-P", _EITHER),
    ("7z", "-p", _GLUED), ("rar", "-p", _GLUED), ("unrar", "-p", _GLUED), ("smbclient", "-U", _APART),
    ("xfreerdp", "/p:", _GLUED), ("net use", "/user:", _GLUED), ("winexe", "-U", _APART), ("az login", "-p", _APART),
    ("twine", "-p", _APART), ("cqlsh", "-p", _APART), ("openssl", "-k", _APART), ("keytool", "-storepass", _APART),
    ("keytool", "-keypass", _APART), ("ipmitool", "-P", _APART), ("snmpwalk", "-A", _APART),
    ("snmpget", "-A", _APART), ("nmcli", "password", _APART), ("plink", "-pw", _APART), ("pscp", "-pw", _APART),
    ("putty", "-pw", _APART), ("hydra", "-p", _APART), ("vncpasswd", "-f", _APART), ("vault login", "", r"[ \t]"),
    ("oc login", "--token", _APART), ("argocd", "--auth-token", _APART), ("snyk auth", "", r"[ \t]"),
    ("ngrok authtoken", "", r"[ \t]"), ("ngrok config add-authtoken", "", r"[ \t]"),
    ("gh secret set", "--body", _APART), ("gh secret set", "-b", _APART), ("rclone config", "pass", _APART),
    ("rclone obscure", "", r"[ \t]"), ("security", "-w", _APART), ("ssh-keygen", "-N", _APART),
    ("jarsigner", "-keypass", _APART), ("bw unlock", "", r"[ \t]"), ("mosquitto_pub", "-P", _APART),
    ("mosquitto_sub", "-P", _APART), ("cloudflared tunnel run", "--token", _APART), ("k6 login cloud", "-t", _APART),
)  # fmt: skip
_WORD = (
    r"(?:\"(?P<dq>[^\"\r\n]{1,200})\"|'(?P<sq>[^'\r\n]{1,200})'|(?P<raw>[^\s\"'|;&<>\-][^\s\"'|;&<>]{0,200}))"
)


#: what several programs have in their names: one look tells that none of them is there
_FAMILIES = ("login", "mysql", "mongo", "ldap", "snmp", "zip", "rar", "rclone", "ngrok", "mosquitto")
#: by how their flag begins, and by family: programs and what holds the value, e.g. `mysql -ps3cret`
_BY_FLAG: dict[str, dict[str, list[tuple[str, bool, re.Pattern[str]]]]] = {}
for _program, _flag, _between in _FLAGS:
    _value = re.compile(rf"(?<=[ \t\n]){re.escape(_flag)}{_between}{_WORD}" if _flag else _between + _WORD)
    _family = next((word for word in _FAMILIES if word in _program), _program)
    _group = _BY_FLAG.setdefault(_flag[:2] if _flag[:1] == "-" else "", {})
    _group.setdefault(_family, []).append((_program, bool(_flag), _value))
#: what follows a command that is no word of prose, e.g. ` -u root`, ` /user:bob`
_FLAG_NEXT = re.compile(r"\s{1,4}[-/]")
#: how a flag begins: only programs that take such a one are looked for, e.g. ` -p`
_DASH = re.compile(r"-(?<=[ \t\n]-)\S")
#: a command ends with its line, a pipe or a semicolon; longer ones are cut there, e.g. `mysql -u bob
#: -ps3cret`
_COMMAND = re.compile(r"[^\n;|]{0,500}")
#: `-u user:password` of curl, wget, httpie and others, with quotes around either part
_PART = r"(?:\"[^\"\r\n]{0,200}\"|'[^'\r\n]{0,200}'|[^\s\"':]{0,200})"
#: e.g. ` -u bob:s3cret`, ` --user="bob:s3cret"`
_USER_FLAG = re.compile(
    r"[\s\"'](?:-[a-zA-Z]{0,4}u|--user|--proxy-user|-U|--auth|-a)\\?(?:[= \t]|\r?\n){0,4}"
    rf"(?:\"(?P<dq>[^\"\r\n]{{1,300}})\"(?!:)|'(?P<sq>[^'\r\n]{{1,300}})'(?!:)|(?P<raw>{_PART}:(?:\"[^\"\r\n]{{1,200}}\"|'[^'\r\n]{{1,200}}'|[^\s\"']{{1,200}})))"
)
#: e.g. `curl`, `https POST`
_CLIENT = re.compile(
    r"\b(?:[Cc]url|[Ww]get|[Hh]ttpie|[Ll]ftp|[Ss]iege|[Hh]ttps?(?= (?:-|GET|POST|PUT|PATCH|DELETE)))\b"
)
_CLIENT_WORDS = ("curl", "wget", "httpie", "lftp", "siege", "http ", "https ")
#: characters after the client in which its flags are looked for
_CLIENT_REACH = 1000
#: in a command's header flag the name need not be surer than "token", e.g. `-H "X-Octopus-ApiKey: 3a16750d"`
_HEADER_FLAG = re.compile(
    r"(?:-H|--header)[= \t]{0,4}[\"']?([A-Za-z][A-Za-z0-9-]{1,50}):\s{0,3}([^\s\"'\\]{4,2000})"
)
#: e.g. `CREATE USER bob IDENTIFIED BY 's3cret'`, `ALTER ROLE bob PASSWORD 's3cret'`
_SQL = re.compile(
    r"(?i:\bidentified\s{1,4}(?:with\s{1,4}['\"`\w]{1,60}\s{1,4})?(?:by|as)(?:\s{1,4}password)?|\b(?:encrypted\s{1,4}|with\s{1,4})?password(?:\s{0,4}=\s{0,4}|\s{1,4}(?:to\s{1,4})?|\s{0,4}\(\s{0,4})"
    r"|\bset\s{1,4}password\s{1,4}for\s{1,4}[^=;\n]{1,100}=\s{0,4}(?:password\()?|\bold_password\()"
    r"\s{0,4}(?:'(?P<sq>[^'\r\n]{1,200})'|\"(?P<dq>[^\"\r\n]{1,200})\")"
)
#: (a word that must be there, the form), e.g. `net user bob S3cret! /add`; the form of
#: a command may begin with a capital
_OTHERS = tuple(
    (word[1:], re.compile(rf"(?i:{form[0]}){form[1:]}" if form[0].isalpha() else form))
    for word, form in (
        ("net user", r"net user[ \t]{1,4}[\w.-]{1,60}[ \t]{1,4}(?P<raw>[^\s/*]{4,200})"),
        (
            "htpasswd",
            r"htpasswd[ \t]{1,4}-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ \t]{1,4}\S{1,200}[ \t]{1,4}[\w.-]{1,60}[ \t]{1,4}(?P<raw>[^\s|;&]{3,200})",  # noqa: E501
        ),
        (
            "rabbitmqctl",
            r"rabbitmqctl[ \t]{1,4}(?:add_user|change_password)[ \t]{1,4}[\w.-]{1,60}[ \t]{1,4}(?P<raw>[^\s|;&]{3,200})",  # noqa: E501
        ),
        (
            "htpasswd",
            r"htpasswd[ \t]{1,4}-[a-zA-Z]{0,6}n[a-zA-Z]{0,6}[ \t]{1,4}[\w.-]{1,60}[ \t]{1,4}(?P<raw>[^\s|;&]{3,200})",
        ),
        ("net use", r"net use[^\n]{1,120}/user:\S{1,60}[ \t]{1,4}(?P<raw>[^\s/]\S{3,200})"),
        (
            "sqlplus",
            r"sqlplus[ \t]{1,4}(?:-\w{1,10}[ \t]{1,4}){0,4}[\"']?[\w.-]{1,60}/(?P<raw>[^\s@\"'/]{3,200})@",
        ),
        ("lftp", r"lftp[^\n]{0,80} -u[ \t]{0,3}[\w.-]{1,60},(?P<raw>[^\s\"']{3,200})"),
        ("mysqladmin", r"mysqladmin[^\n]{1,120}[ \t]password[ \t]{1,4}[\"']?(?P<raw>[^\s\"']{3,200})"),
        ("wpa_passphrase", r"wpa_passphrase[ \t]{1,4}\S{1,60}[ \t]{1,4}[\"']?(?P<raw>[^\s\"']{8,63})"),
        ('send "', r"send \\{0,2}[\"'](?P<raw>(?=\D{0,30}\d)[^\"'\\\s]{6,100})\\{1,2}[rn]"),
        ("AUTH PLAIN", r"AUTH PLAIN (?P<raw>[A-Za-z0-9+/]{12,400}={0,2})"),
        (
            '="password"',
            r"type=\\?[\"']password\\?[\"'][^<>\n]{0,200}?value=\\?[\"'](?P<raw>[^\"'\\\s<>{]{4,200})",
        ),
        (
            "poetry config",
            r"poetry config (?:http-basic\.\S{1,60} \S{1,60}|pypi-token\.\S{1,60}) (?P<raw>\S{4,400})",
        ),
        ("AUTH ", r"(?m)^AUTH (?P<raw>(?=\D{0,60}\d)\S{4,200})$"),
        ("requirepass", r"requirepass[ \t]{1,4}(?P<raw>[^\s#]{3,200})"),
        ("masterauth", r"masterauth[ \t]{1,4}(?P<raw>[^\s#]{3,200})"),
        (
            "SecureString",
            r"ConvertTo-SecureString[ \t]{1,4}(?:-String[ \t]{1,4})?[\"']?(?P<raw>[^\s\"'|$]{3,200})",
        ),
        (":_", r":_(?:authToken|auth|password)[ =]{1,3}[\"']?(?P<raw>[^\s\"']{4,400})"),
    )
)


def command_secrets(text: str) -> Iterator[Span]:
    """Spans of the values alone; program, flag and user stay readable."""
    lower = lowered(text)
    for dash in sorted({"", *_DASH.findall(text)}):
        for family, programs in _BY_FLAG.get(dash, {}).items():
            for program, flagged, pattern in programs if family in lower else ():
                for end in ends_of(lower, (program,)):
                    # a command that begins a sentence has a capital, as in `Mysql -ps3cret`; one that takes its secret
                    # without a flag has none there ("Vault login fails"), nor where no flag follows at once
                    small = text[end - len(program) : end].islower()
                    if text[end : end + 1] in (" ", "\t", "\n") and (
                        small or (flagged and _FLAG_NEXT.match(text, end))
                    ):
                        yield from _flagged(text, end, pattern)
    if ":" in text:
        if any(word in lower for word in _CLIENT_WORDS):
            yield from _user_pairs(text)
        if "-H" in text or "--header" in text:
            yield from _headers(text)
    if "password" in lower or "identified" in lower:
        for match in _SQL.finditer(text):
            group = "sq" if match["sq"] else "dq"
            if _good(match[group]):
                yield Span(*match.span(group), _C)
    for word, pattern in _OTHERS:
        for match in pattern.finditer(text) if word in text else ():
            if _good(match["raw"]):
                yield Span(*match.span("raw"), _C)


def _flagged(text: str, end: int, pattern: re.Pattern[str]) -> Iterator[Span]:
    command = _COMMAND.match(text, end)
    match = pattern.search(text, end, command.end()) if command else None
    if match:
        group = next(name for name in ("dq", "sq", "raw") if match[name])
        value = match[group]
        start = match.start(group)
        if "%" in value and "-U" in match[0]:  # smbclient -U user%password
            start, value = start + value.index("%") + 1, value.partition("%")[2]
        if _good(value):
            yield Span(start, start + len(value), _C)


def _user_pairs(text: str) -> Iterator[Span]:
    clients = [match.end() for match in _CLIENT.finditer(text)]
    for begin, after in pairwise([*clients, len(text)]):
        for match in _USER_FLAG.finditer(text, begin, min(after, begin + _CLIENT_REACH)):
            yield from _user_pair(match)


def _user_pair(match: re.Match[str]) -> Iterator[Span]:
    group = next(name for name in ("dq", "sq", "raw") if match[name])
    user, colon, word = match[group].partition(":")
    start = match.start(group) + len(user) + 1
    bare = word.strip("\"'")
    if not bare:  # `-u "key:"`: an API key in the place of the user
        start, bare, word = match.start(group), user, user
    start += len(word) - len(word.lstrip("\"'"))
    if colon and _good(bare) and not user.startswith("<"):
        yield Span(start, start + len(bare), _C)


def _headers(text: str) -> Iterator[Span]:
    for match in _HEADER_FLAG.finditer(text):
        name, value = match[1], match[2]
        if strength(name) > Strength.NONE and is_secret(Strength.STRONG, value, quoted=True):
            yield Span(*match.span(2), _C)


def _good(value: str) -> bool:
    """Anything but a variable, a stand-in or a placeholder."""
    return (
        len(value) >= 3
        and len(set(value)) > 1
        and not is_stand_in(value)
        and not value.startswith(("$", "<", "{{", "%{", "[", "--"))
    )
