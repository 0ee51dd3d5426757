"""Which failures others will meet too: those of a tool, package, API or build, and not of one task's data."""

from __future__ import annotations

import re

from ultron_core.transcript.results.failures import clean_line
from ultron_core.transcript.results.telling import Failure

__all__ = ["is_one_off", "recurs", "recurs_unsolved", "says_nothing", "slipped", "tells", "without_paths"]

_RECURS = re.compile(
    # "bash: jq: command not found", "ModuleNotFoundError: No module named 'wcwidth'"
    r"command not found|not recognized as|\bno module named\b|\bcannot find module\b|\bcannot import name\b"
    # "module 'os' has no attribute 'getenvv'", "got an unexpected keyword argument 'squared'"
    r"|(?<!'NoneType' object )\bhas no attribute\b|\bunexpected keyword argument\b"
    r"|\bis deprecated\b"
    # "fatal: could not read Username for 'https://github.com': terminal prompts disabled"
    r"|\bcould not read username\b|\bterminal prompts disabled\b|\bpermission denied\b|\bunauthorized\b|\bforbidden\b"
    r"|\b(?:401|403|429)\b|\brate limit|\bquota\b|\bcertificate verify failed\b"
    # "npm error ERESOLVE could not resolve", "ERROR: No matching distribution found for foo"
    r"|\bcould not resolve\b|\bno matching distribution\b|\bcould not find a version\b|\bpeer dep"
    # "error: unknown option '--foo'", "The required parameter `prompt` is missing"
    r"|\b(?:unknown|unrecognized|invalid|unsupported) (?:option|flag|command|argument|parameter)s?\b"
    r"|\brequired (?:parameter|property|argument|option)\b|\bnot supported\b|\bexceeds (?:the )?maximum\b"
    # "curl: (6) Could not resolve host: example.org", "connect ECONNREFUSED 127.0.0.1:5432", "address already in use"
    r"|\bcould not resolve host\b|\bECONNREFUSED\b|\bconnection refused\b|\bENOTFOUND\b|\bmax retries exceeded\b"
    r"|\baddress already in use\b|\bname or service not known\b"
    # "E: Unable to locate package jq", "error: externally-managed-environment", "Exec format error"
    r"|\bunable to locate package\b|\bexternally-managed-environment\b|\bexec format error\b|\bGLIBC_\d"
    # "No space left on device", "Killed", "Read-only file system", "Operation not permitted"
    r"|\bno space left\b|\bout of memory\b|^Killed\b|\bread-only file system\b|\boperation not permitted\b"
    # "does not provide an export named 'default'", "the input device is not a TTY"
    r"|\bdoes not provide an export\b|\bunknown file extension\b|\bnot a TTY\b|\b50[0234] (?:internal|bad|service)"
    # "Host key verification failed.", "Permission denied (publickey)", "Connection closed by 10.0.0.5 port 22"
    r"|^Host key verification failed|^Connection (?:closed|reset) by \S"
    # names what it needs first: "Cannot find app ref. Have you run `fly link`?", "Please provide --token flag"
    r"|\bhave you run [`'\"]?\w+|\bplease (?:provide|specify|pass) (?:the |an? )?[`'\"]?--\w"
    # PowerShell: "The token '&&' is not a valid statement separator in this version."
    r"|\bvalid statement separator\b|有效语句分隔符"
    r"|\bhas no upstream branch\b|\bnot a git repository\b|\bis not installed\b|未安装|不支持|权限不足",
    re.IGNORECASE,
)
#: what an agent's own edit breaks as often as a package does, and files of one project, e.g. `module 'pandas'
#: has no attribute 'appendd'`, `module './util'`
_OWN = re.compile(
    r"\bhas no attribute\b|\bcannot import name\b|\bunexpected keyword argument\b|module '[./]", re.IGNORECASE
)
#: told as a fact about the environment (absent.py), e.g. `bash: jq: command not found`, `sh: 1: jq: not
#: found`
_NO_PROGRAM = re.compile(r"\bcommand not found\b|: not found$", re.IGNORECASE)
#: "error TS2304: Cannot find name 'join'.", "a.go:3:2: undefined: Total", "F821 undefined name 'models'"
_SLIP = re.compile(
    r"\berror TS\d+|\bcannot find (?:name|symbol)\b|\bundefined: \w|\bundefined name\b|\bdeclared and not used\b|"
    r"\bcannot find value\b|\b\w+ is not defined\b|\bis unused\b",
    re.IGNORECASE,
)
#: values of one test or one script: "AssertionError: Expected 5 but got 7", "E   assert 41 == 42"
_VALUES = re.compile(
    r"\bassert(?:ion)?(?:error)?\b.{0,400}(?:!=|==|\bbut got\b|\bexpected\b|\bboth sides\b|\bis not\b)|"
    r"^\W*(?:expected|got|actual|received)\b|\bexpected\b.{1,80}\b(?:got|but|received)\b|^\s*--- FAIL\b",
    re.IGNORECASE,
)
#: names, keys and files of one task
_OF_THIS_TASK = (
    "KeyError",
    "IndexError",
    "ZeroDivisionError",
    "SyntaxError",
    "IndentationError",
    "AssertionError",
)
#: words of a failure line that say only that something failed
_EMPTY = """
assertionerror build code command compiled compiling downloading error errors exception execution exit exitcode failed
failure failures files finished in issues npm passed running test tests the warnings with
"""
_EMPTY_WORDS = frozenset(_EMPTY.split())
#: a summary line of a test runner that is cut short, e.g. `FAILED tests/test_a.py::test_b - Asser...`
_CUT_SHORT = re.compile(r"^(?:FAILED|ERROR) \S.* - (?:\S+: )?\S*\.\.\.$")
#: e.g. `[... 8539 characters cut ...]`, `... output truncated`
_LEFT_OUT = re.compile(
    r"\b(?:characters|lines|output|bytes) (?:\w+ )?(?:cut|truncated|omitted|skipped)\b", re.IGNORECASE
)
#: progress, and not what failed: "Compiling 40 files (.ex)", "Running 3 tests"
_PROGRESS = re.compile(
    r"^(?:Compiling|Running|Building|Downloading|Fetching|Installing|Resolving|Generating)\b"
)


def recurs(failure: Failure) -> bool:
    """True for a failure of something that others use as well."""
    return bool(_RECURS.search(failure.line)) and not is_one_off(failure)


def recurs_unsolved(failure: Failure) -> bool:
    """The same of a failure without a cure: only one of the surroundings is worth keeping then."""
    return recurs(failure) and not _OWN.search(failure.line) and not _NO_PROGRAM.search(failure.line)


def slipped(failure: Failure) -> bool:
    """True for a name or module that an edit left behind or forgot to bring, as a compiler or type checker says."""
    return _SLIP.search(failure.line) is not None


def is_one_off(failure: Failure) -> bool:
    """True for a wrong value, key or index of one task, which nobody meets again."""
    return failure.kind in _OF_THIS_TASK or bool(_VALUES.search(failure.line))


def says_nothing(failure: Failure) -> bool:
    """True for a line of the output's frame: what was left out, how the run began."""
    return any(pattern.search(failure.line) for pattern in (_CUT_SHORT, _LEFT_OUT, _PROGRESS))


def tells(failure: Failure, call: str) -> bool:
    """False for a line that says only that something failed ("12 failed in 3s") or repeats its own call."""
    line = failure.line
    if says_nothing(failure):
        return False
    if clean_line(line).endswith((":", "：", "━")):
        return False
    if re.match(r"\d+\) ", line) or line.strip()[:80] in call:
        return False
    words = re.findall(r"[A-Za-z\u3400-\u9fff]{2,}", without_paths(line))
    return len([word for word in words if word.lower() not in _EMPTY_WORDS]) >= 2


def without_paths(line: str) -> str:
    """The words of a line that are neither paths nor names of tests."""
    return " ".join(part for part in clean_line(line).split() if not re.search(r"[/\\]|::|…", part))
