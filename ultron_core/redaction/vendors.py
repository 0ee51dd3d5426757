"""Keys recognised by their own shape: published formats of vendors, JSON web tokens, PEM blocks.

Each shape starts with a literal that is searched first, so that a text without it costs one substring search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.redaction.spans import Span
from ultron_core.redaction.wordlike import made_by_machine, made_of_words

__all__ = ["vendor_keys"]

_W = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"
_HEX = r"[0-9a-fA-F]"

#: (entity, literal starts, rest of the shape); bounds keep every match linear
_SHAPES: tuple[tuple[str, str, str], ...] = (
    # model vendors: OpenAI, Anthropic, OpenRouter, DashScope, DeepSeek and others that use sk-
    (
        "LLM_API_KEY",
        "sk-",
        rf"(?:proj|svcacct|admin|None|ant|or|lf|litellm|user|org){_W}{{0,12}}-{_W}{{16,240}}",
    ),
    ("LLM_API_KEY", "sk-", rf"{_W}{{19,200}}[A-Za-z0-9]"),
    ("LLM_API_KEY", "gsk_", rf"{_A}{{40,80}}"),
    ("LLM_API_KEY", "xai-", rf"{_A}{{40,120}}"),
    ("LLM_API_KEY", "pplx-", rf"{_A}{{32,80}}"),
    ("LLM_API_KEY", "nvapi-", rf"{_W}{{40,120}}"),
    ("LLM_API_KEY", "r8_", rf"{_A}{{30,60}}"),
    ("LLM_API_KEY", "hf_", rf"{_A}{{30,60}}"),
    ("LLM_API_KEY", "api_org_", rf"{_A}{{30,60}}"),
    ("LLM_API_KEY", "AIza", rf"{_W}{{35}}"),
    ("LLM_API_KEY", "fw_", rf"{_A}{{22,40}}"),
    ("LLM_API_KEY", "tvly-", rf"{_W}{{20,60}}"),
    ("LLM_API_KEY", "lsv2_pt_|lsv2_sk_", rf"{_HEX}{{32}}_{_HEX}{{10}}"),
    # code hosting
    ("GITHUB_TOKEN", "ghp_|gho_|ghu_|ghs_|ghr_", rf"{_A}{{36,255}}"),
    ("GITHUB_TOKEN", "github_pat_", r"[A-Za-z0-9_]{22,255}"),
    (
        "REDACTED_CREDENTIAL",
        "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-|glagent-|gloas-|glimt-|glffct-",
        rf"{_W}{{20,200}}(?:\.[0-9a-z.]{{2,20}})?",
    ),
    ("REDACTED_CREDENTIAL", "GR1348941", rf"{_W}{{20,40}}"),
    ("REDACTED_CREDENTIAL", "ATATT3", r"[A-Za-z0-9_=-]{40,300}"),
    ("REDACTED_CREDENTIAL", "ATBB", rf"{_A}{{32}}"),
    # clouds
    ("AWS_ACCESS_KEY", "A", r"(?:KIA|SIA|BIA|CCA|IDA|ROA|GPA|IPA|NPA|NVA)[A-Z2-7]{16}"),
    ("AWS_ACCESS_KEY", "AKIA", r"[A-Z0-9]{16}"),
    ("AWS_ACCESS_KEY", "ABSK", r"[A-Za-z0-9+/]{100,200}={0,2}"),
    ("REDACTED_CREDENTIAL", "LTAI", rf"{_A}{{12,30}}"),
    ("REDACTED_CREDENTIAL", "AKID", rf"{_A}{{32}}"),
    ("REDACTED_CREDENTIAL", "AKLT", rf"{_A}{{20,60}}"),
    ("REDACTED_CREDENTIAL", "GOCSPX-", rf"{_W}{{28}}"),
    ("REDACTED_TOKEN", "ya29.", rf"{_W}{{20,1000}}"),
    ("REDACTED_TOKEN", "1//0", rf"{_W}{{30,120}}"),
    ("REDACTED_CREDENTIAL", "dop_v1_|doo_v1_|dor_v1_", rf"{_HEX}{{64}}"),
    ("REDACTED_CREDENTIAL", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    ("REDACTED_CREDENTIAL", "HRKU-", rf"{_W}{{36,80}}"),
    ("REDACTED_CREDENTIAL", "FlyV1 ", r"fm\d_[A-Za-z0-9+/=,_-]{40,1000}"),
    ("REDACTED_CREDENTIAL", "hvs.", rf"{_W}{{24,200}}"),
    ("REDACTED_CREDENTIAL", "hvb.", rf"{_W}{{24,300}}"),
    ("REDACTED_CREDENTIAL", "dp.pt.|dp.st.|dp.sa.|dp.ct.", rf"{_W}{{40,80}}"),
    ("REDACTED_CREDENTIAL", "sbp_", rf"{_HEX}{{40}}"),
    ("REDACTED_CREDENTIAL", "pul-", rf"{_HEX}{{40}}"),
    # chat, payment, mail
    (
        "REDACTED_CREDENTIAL",
        "xoxa-|xoxb-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xoxe.",
        rf"(?:xox[a-z]-)?{_W}{{10,250}}",
    ),
    ("REDACTED_CREDENTIAL", "xapp-", rf"\d-{_W}{{20,200}}"),
    (
        "REDACTED_CREDENTIAL",
        "hooks.slack.com/services/",
        r"T[A-Z0-9]{6,14}/B[A-Z0-9]{6,14}/[A-Za-z0-9]{20,40}",
    ),
    ("REDACTED_CREDENTIAL", "sk_live_|sk_test_|rk_live_|rk_test_|pk_live_", rf"{_A}{{16,250}}"),
    ("REDACTED_CREDENTIAL", "whsec_", r"[A-Za-z0-9+/]{24,90}={0,2}"),
    ("REDACTED_CREDENTIAL", "sq0atp-|sq0csp-|sq0idp-", rf"{_W}{{22,50}}"),
    ("REDACTED_CREDENTIAL", "shpat_|shpca_|shppa_|shpss_", rf"{_HEX}{{32}}"),
    ("REDACTED_CREDENTIAL", "SG.", rf"{_W}{{20,24}}\.{_W}{{39,50}}"),
    ("REDACTED_CREDENTIAL", "SK", r"[0-9a-f]{32}"),
    ("REDACTED_CREDENTIAL", "AC", r"[0-9a-f]{32}"),
    ("REDACTED_CREDENTIAL", "key-", r"[0-9a-f]{32}"),
    ("REDACTED_CREDENTIAL", "xkeysib-", rf"{_HEX}{{64}}-{_A}{{16}}"),
    # package registries and developer tools
    ("REDACTED_CREDENTIAL", "npm_", rf"{_A}{{36}}"),
    ("REDACTED_CREDENTIAL", "pypi-", rf"Ag{_W}{{50,500}}"),
    ("REDACTED_CREDENTIAL", "rubygems_", rf"{_HEX}{{48}}"),
    ("REDACTED_CREDENTIAL", "dckr_pat_|dckr_oat_", rf"{_W}{{20,60}}"),
    ("REDACTED_CREDENTIAL", "lin_api_|lin_oauth_", rf"{_A}{{32,64}}"),
    ("REDACTED_CREDENTIAL", "ntn_", rf"{_A}{{40,60}}"),
    ("REDACTED_CREDENTIAL", "secret_", rf"{_A}{{43}}"),
    ("REDACTED_CREDENTIAL", "figd_", rf"{_W}{{35,60}}"),
    ("REDACTED_CREDENTIAL", "glsa_", rf"{_A}{{32}}_{_HEX}{{8}}"),
    ("REDACTED_CREDENTIAL", "glc_", r"[A-Za-z0-9+/]{32,400}={0,2}"),
    ("REDACTED_CREDENTIAL", "sntrys_|sntryu_", r"[A-Za-z0-9+/=_]{40,400}"),
    ("REDACTED_CREDENTIAL", "PMAK-", rf"{_HEX}{{24}}-{_HEX}{{34}}"),
    ("REDACTED_CREDENTIAL", "NRAK-", r"[A-Z0-9]{27}"),
    ("REDACTED_CREDENTIAL", "pcsk_", rf"{_W}{{40,120}}"),
    ("REDACTED_CREDENTIAL", "phx_", rf"{_A}{{40,60}}"),
    ("REDACTED_CREDENTIAL", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    ("REDACTED_CREDENTIAL", "EAACEdEose0cBA", rf"{_A}{{10,200}}"),
    # JSON web tokens, their signature may be missing
    ("REDACTED_TOKEN", "eyJ", rf"{_W}{{8,2000}}\.eyJ{_W}{{8,8000}}(?:\.{_W}{{0,2000}})?"),
)
_GROUPED: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
for _entity, _literals, _rest in _SHAPES:
    for _literal in _literals.split("|"):
        _pattern = re.compile(re.escape(_literal) + _rest + r"(?![A-Za-z0-9])")
        _GROUPED.setdefault(_literal, []).append((_entity, _pattern))


def _ending(sign: str, next_chars: str) -> re.Pattern[str]:
    """Finds all literals that end in `sign` in one pass: from sign to sign, then what stands before it."""
    tails = "|".join(f"(?<={re.escape(literal)})" for literal in _GROUPED if literal.endswith(sign))
    return re.compile(rf"{re.escape(sign)}(?={next_chars})(?<=[A-Za-z0-9]{re.escape(sign)})(?:{tails})")


#: most literals end in one of three signs; the rest are searched one by one
_SIGNED = (
    _ending("_", r"[A-Za-z0-9+/=_-]{10}"),
    _ending("-", r"[A-Za-z0-9+/=_-]{10}"),
    _ending(".", r"[A-Za-z0-9_-]{2}"),
)
_SIGNED_LITERALS = sorted((x for x in _GROUPED if x[-1] in "_-."), key=lambda x: (-len(x), x))
_PLAIN_LITERALS = tuple(x for x in _GROUPED if x[-1] not in "_-." and len(x) > 1)

_PEM_BEGIN = "-----BEGIN "
_PEM_HEAD = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_TAIL = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=:,\-\s\\.]{0,20000}")
#: a secret key beside its key id, as in the CSV that AWS hands out
_AWS_SECRET = re.compile(r"[\s,;:/|\"'&]{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")
_AZURE_SECRET = re.compile(
    r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"
)
_BOT_TOKEN = re.compile(r":(?<=\d{8}:)AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])")
_CHAT_TOKEN = re.compile(
    r"\.(?<=[A-Za-z0-9_-]{23}\.)[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_.-])"
)
_CHAT_HEAD = re.compile(r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,28}$")


def vendor_keys(text: str) -> Iterator[Span]:
    """Spans of keys in published formats, those of higher rank first."""
    yield from _pem_blocks(text)
    yield from _aws_ids(text, _GROUPED["A"])
    for at, literal in sorted(_starts(text)):
        if not (at and text[at - 1].isascii() and text[at - 1].isalnum()) or _after_escape(text, at):
            yield from _first_match(text, at, _GROUPED[literal])
    yield from _infix_keys(text)


def _starts(text: str) -> Iterator[tuple[int, str]]:
    """Where a literal occurs, whatever follows."""
    for pattern in _SIGNED:
        for match in pattern.finditer(text):
            for literal in _SIGNED_LITERALS:
                if text.endswith(literal, 0, match.end()):
                    yield match.end() - len(literal), literal
    for literal in _PLAIN_LITERALS:
        at = text.find(literal)
        while at >= 0:
            yield at, literal
            at = text.find(literal, at + len(literal))


def _after_escape(text: str, at: int) -> bool:
    """`\\nsk-...`: the letter before the key belongs to an escape sequence."""
    return at >= 2 and text[at - 2] == "\\" and text[at - 1] in "nrtbf"


def _first_match(text: str, at: int, shapes: list[tuple[str, re.Pattern[str]]]) -> Iterator[Span]:
    for entity, pattern in shapes:
        match = pattern.match(text, at)
        if match and not _filler(match[0]) and (shapes is not _SK or _sk_key(match[0])):
            yield Span(at, match.end(), entity)
            return


def _filler(key: str) -> bool:
    """`sk-xxxxxxxx` and the like. A key that repeats several different characters still counts as a key."""
    return len(set(key[-16:])) <= 1


_SK = _GROUPED["sk-"]
_SK_KNOWN = re.compile(r"sk-(?:proj|svcacct|admin|None|ant|or|lf|litellm|user|org)[A-Za-z0-9_]{0,12}-")


def _sk_key(key: str) -> bool:
    """With a vendor's own prefix anything but words, otherwise only random-looking tails: `sk-learn-x` stays."""
    known = _SK_KNOWN.match(key)
    return made_by_machine(key[3:]) or bool(known and not made_of_words(key[known.end() :]))


_AWS_START = re.compile(r"A(?=[KSBCIRGN][IACDRPONV]A[A-Z0-9]{16}(?![A-Za-z0-9]))")


def _aws_ids(text: str, shapes: list[tuple[str, re.Pattern[str]]]) -> Iterator[Span]:
    for start in _AWS_START.finditer(text):
        at = start.start()
        if at and text[at - 1].isascii() and text[at - 1].isalnum() and not _after_escape(text, at):
            continue
        yield from _first_match(text, at, shapes)
        secret = _AWS_SECRET.match(text, at + 20)
        if secret and re.search(r"\d", secret[1]) and re.search(r"[a-z]", secret[1]):
            yield Span(secret.start(1), secret.end(1), "REDACTED_CREDENTIAL")


def _pem_blocks(text: str) -> Iterator[Span]:
    if "PRIVATE KEY" not in text:
        return
    whole: set[int] = set()
    at = text.find(_PEM_BEGIN)
    while at >= 0:
        head = _PEM_HEAD.match(text, at)
        if head:
            tail = _PEM_TAIL.search(text, head.end(), head.end() + 20_000)
            body = _PEM_BODY.match(text, head.end())
            # what is left of a truncated block is still part of a key
            end = tail.end() if tail else body.end() if body else head.end()
            whole.add(end)
            if end - head.end() > 20:
                yield Span(at, end, "REDACTED_CREDENTIAL")
        at = text.find(_PEM_BEGIN, at + len(_PEM_BEGIN))
    done = 0
    for tail in _PEM_TAIL.finditer(text):
        start = tail.start() if tail.end() in whole else _key_lines_before(text, tail.start(), done)
        if tail.start() - start > 20:
            yield Span(start, tail.end(), "REDACTED_CREDENTIAL")
        done = tail.end()


_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")


def _key_lines_before(text: str, end: int, stop: int) -> int:
    """Where the lines of a key begin whose first line was cut away; `end` when there are none."""
    start = end
    while True:
        at = start
        while at > stop and (text[at - 1].isspace() or text[at - 2 : at] in ("\\n", "\\r")):
            at -= 1 if text[at - 1].isspace() else 2
        line_end = at
        while at > stop and text[at - 1] in _BASE64:
            at -= 1
        if at and text[at - 1 : at + 1] in ("\\n", "\\r"):
            at += 1
        if line_end - at < 16 or line_end == start:
            return start
        start = at


def _infix_keys(text: str) -> Iterator[Span]:
    """Shapes whose fixed part is not at their start."""
    if "Q~" in text:
        for match in _AZURE_SECRET.finditer(text):
            yield Span(match.start(), match.end(), "REDACTED_CREDENTIAL")
    if ":AA" in text:
        for match in _BOT_TOKEN.finditer(text):
            start = match.start()
            while start and text[start - 1] in "0123456789" and match.start() - start < 12:
                start -= 1
            yield Span(start, match.end(), "REDACTED_CREDENTIAL")
    for match in _CHAT_TOKEN.finditer(text):
        head = _CHAT_HEAD.search(text, max(0, match.start() - 30), match.start())
        if head:
            yield Span(head.start(), match.end(), "REDACTED_CREDENTIAL")
