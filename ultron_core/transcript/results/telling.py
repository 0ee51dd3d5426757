"""Which line of a failed result says what went wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ultron_core.transcript.harness import EDIT_REFUSED, HARNESS_NOISE, HARNESS_TAGS, joined

__all__ = ["ANSI", "TAG", "Failure", "json_error", "mentions_failure", "telling_line"]

#: a quote in a memory holds at most this much (`MemoryDraft` evidence)
_MAX_LINE = 400
#: a longer answer is data that happens to be JSON
_MAX_JSON = 4_000
#: colours: "\x1b[31mFAIL\x1b[0m"
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
#: a tag that a harness puts around a result, in transcript/harness.py, e.g. `<tool_use_error>`
TAG = joined(HARNESS_TAGS)
#: a line that a harness adds to a result, in transcript/harness.py, e.g. `Wall time: 0.2 seconds`
_NOISE = joined(HARNESS_NOISE)
#: "KeyError: 'x'", "E   AssertionError", "Caused by: java.io.IOException: disk full"
_EXCEPTION = re.compile(
    r"^(?:E\s+|(?:[\w./-]{1,80}:\d+(?::\d+)? )?Uncaught (?:\(in promise\) )?|Caused by: |thread '[^']*' )?"
    r"(?:[A-Za-z_][\w.]*\.)?([A-Z][A-Za-z]*(?:Error|Exception|Interrupt|Timeout|NotFound|DoesNotExist))\b(?::|\s*$|\s-|\s+Traceback)"
)
#: ExUnit and iex: "** (RuntimeError) no :secret_key_base configuration found"
_RAISED_AS = re.compile(r"^\*\* \(((?:\w+\.)*[A-Z]\w*)\) \S")
#: the last line of a traceback when its exception has an unusual name: "cv2.error: (-215:Assertion failed)"
_RAISED = re.compile(r"^[A-Za-z_]\w*(?:\.\w+)+: \S")
#: lines that name a failure on their own, the most telling first
_LINES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # "FAILED tests/test_a.py::test_b - assert 1 == 2", "--- FAIL: TestTypes (0.00s)"
        r"^(?:FAILED|ERROR) (?=\S+?::\S)\S+ - \S|^--- FAIL: ",
        # " ! [rejected]        main -> main (fetch first)"
        r"^\s*! \[(?:remote )?rejected\] \s*\S",
        # "fatal: not a git repository", "error[E0308]: mismatched types", "E: Unable to locate package"
        r"^\s*(?:npm ERR!|npm error|ERR_PNPM_\w+\s|fatal:|panic:|error(?:\[\w+\])?:|ERROR:|E: |make: \*\*\*|"
        r"Segmentation fault)\s*\S",
        # "bash: line 1: jq: command not found"
        r"(?:^|[\s/])[\w.-]+: (?:line \d+: )?.{0,80}(?:command not found|No such file or directory|"
        r"Permission denied|not recognized)",
        # go: "FAIL\tgithub.com/a/b/pkg/cursorcli\t0.121s", below "PASS" of another package or "0 issues."
        r"^FAIL\s+\S+/\S",
        # "/bin/bash: -c: line 1: syntax error near unexpected token `('", "(eval):1: parse error near `)'"
        r"^.{0,60}: ?(?:line )?\d+: (?:syntax error|parse error|unexpected EOF)\b",
        # ssh: "deploy@web1: Permission denied (publickey).", "Host key verification failed."
        r"\bPermission denied \([\w,-]+\)|^Host key verification failed|^Connection (?:closed|reset) by \S+",
        # PowerShell tells it in the language of the machine: "The token '&&' is not a valid statement separator in"
        r"['\"“‘][^'\"”’]{1,40}['\"”’] ?(?:is not (?:a valid|recognized)|不是|无法识别)",
        # what a program needs first: "Cannot find app ref. Have you run `fly link`?"
        r"\bhave you run [`'\"]?\w+|\bplease (?:provide|specify|pass) (?:the |an? )?[`'\"]?--\w",
        # "Cannot find module 'x'", "Failed to fetch"
        r"^\s*(?:Error|Failed|Failure|Exception|Unable|Cannot|Could not|Can't)\b.{3,}",
        # "The requested module 'x' does not provide an export named 'default'"
        r"\bdoes not provide an export\b|\bUnknown file extension\b",
        # "src/a.ts(499,20): error TS2304: Cannot find name 'join'."
        r"\b(?:error TS\d+|error\[E\d+\]|SyntaxError|[EF]\d{3} |ts\(\d{4,5}\))",
        # "Test script run timed out", "the request was denied"
        r"^.{0,160}?\b(?:error|failed|failure|not found|does not exist|denied|refused|invalid|"
        r"timed? ?out|unable to|unsupported)\b",
        # "错误：标记无效"
        r"错误[:：]|失败|报错|异常[:：]|无法|找不到|不存在|拒绝访问|超时",
    )
)
#: the same in one pass, with exceptions and warnings anywhere in the line: "DeprecationWarning: use x"
_MENTION = re.compile(
    "|".join(f"(?:{pattern.pattern})" for pattern in _LINES)
    + r"|\b[A-Za-z_.]{0,60}(?:(?-i:Error|Exception|Warning))\b|\b(?:abort(?:ed)?|panicked|undefined reference|cannot|"
    r"could not|no such file)\b|异常|拒绝",
    re.IGNORECASE,
)
#: failures of applying and of linting an edit, told apart from those of the tests that run after it
_KINDS = (
    ("PatchMismatch", joined(EDIT_REFUSED)),
    # "astropy/wcs/wcs.py:52:12: F821 undefined name 'x'"
    ("Lint", re.compile(r"^\S+:\d+(?::\d+)?:? [EFWC]\d{3,4}\b")),
)
#: keys under which an API answers with its error
_JSON_ERROR = ("error", "errors", "error_message", "err", "exception", "错误")
#: source, diff and box lines: an error's name in them is text, no event, e.g. `12 | raise ValueError(x)`
_SOURCE_LINE = re.compile(
    r"^(?:\d+\s*[│|:→]|[│|+*#/<>]|//|--|\.\.\.|import |from \S+ import|def |class |return |raise |assert |if |elif |"
    r"else|for |while |try|except|throw |const |let |var |function )|[{};]$|\.\.\. ok$"
)
#: says that it failed or how it ended, not why: "Exit code 1", "exitcode: 1 (execution failed)"
_BARE_EXIT = re.compile(
    r"^\W*(?:command |process )?(?:exit(?:ed)?|return(?:ed)?)\W{0,2}(?:with )?(?:non-zero )?(?:exit )?(?:code|status)\b"
    r"|^\W*exit(?:ed)?[:=] ?\d+$"
    # npm's own frame around a script that failed: "npm error code 2", "npm ERR! Lifecycle script `check` failed"
    r"|^\s*ELIFECYCLE\b"
    r"|^npm (?:ERR!|error) (?:code \S+$|errno \S+$|path|workspace|location|command|lifecycle|A complete log)\b"
    r"|^\(no output\)$|^Code output:\s*$|^<\w+>\s*-?\d+\s*</\w+>$|^</?\w+>$",
    re.IGNORECASE,
)
#: a banner, a box line, a dated log line, a test that passed:
#: "> tsgo --noEmit", "=====", "2026/02/20 16:36:23 INFO started", "--- PASS: TestA (0.00s)", "PASS",
#: and the counts of a linter, whose findings stand above: "0 issues.", "1 issues:", "* typecheck: 1"
_BANNER = re.compile(
    r"^(?:[>$] |=== RUN|--- PASS|PASS$|FAIL$|ok\s+\S+/)|^[\W_]+$|^\d{4}[/-]\d\d[/-]\d\d.* INFO\b"
    r"|^\d+ issues?[.:]$|^\* \w+: \d+$"
    # PowerShell before it says what is wrong: "At line:1 char:25", "所在位置 行:1 字符: 5", "+ git commit -m ..."
    r"|^At (?:line:\d|\S+:\d+ char:)|^所在位置 |^\+ "
)
#: the assertion in the lines above a bare "AssertionError": "----> 4 assert solve([1, 0, 2], 3) == True"
_ASSERTION = re.compile(r"^(?:-+> ?\d+ |> |E )?\s*(assert\b.{3,})")
#: the call itself went well, e.g. `exitcode: 0 (execution succeeded)`, `Exit code: 0`
_CLEAN_LINE = re.compile(r"exitcode: 0|Return Code: 0|Exit code:? 0", re.IGNORECASE)
#: e.g. `AssertionError:`, `E   AssertionError`
_BARE_ASSERTION = re.compile(r"^(?:E\s+)?AssertionError\W*$")


@dataclass(frozen=True, slots=True)
class Failure:
    """`line` is verbatim from the output (at most 400 characters); `kind` is the exception's name or empty."""

    line: str
    kind: str = ""


def json_error(text: str) -> str | None:
    """The message of a JSON answer such as {"error": "..."} or {"success": false, "message": "..."}; `""` when
    the answer says that it failed and gives no message, None when it does not say so."""
    if not text.lstrip().startswith("{") or len(text) > _MAX_JSON:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return _message_of(value) if isinstance(value, dict) else None


def _message_of(value: dict[str, Any]) -> str | None:
    for key in _JSON_ERROR:
        if isinstance(value.get(key), str) and value[key].strip():
            return str(value[key])
    failed = value.get("success") is False or value.get("ok") is False
    if failed or any(value.get(key) in ("error", "failed", "failure") for key in ("status", "result")):
        return str(value.get("message") or value.get("reason") or "")
    return None


def mentions_failure(line: str) -> bool:
    """True for a line that speaks of an error, whether or not the result as a whole failed."""
    return bool(_MENTION.search(line))


def telling_line(text: str, call: Sequence[str] = ()) -> Failure | None:
    """The line of a failed result that says most, never one that repeats the `call`; None for a result without
    a line."""
    message = json_error(text)
    if message and message in text:
        return Failure(message[:_MAX_LINE])
    lines = [line.strip() for line in TAG.sub("\n", text).splitlines()]
    lines = [line for line in lines if line and not _NOISE.search(line)]
    echoed = {line.strip() for argument in call for line in argument.splitlines()}
    lines = [line for line in lines if line not in echoed] or lines
    named = _named(lines, text)
    if named is not None:
        return named
    for pattern in _LINES:
        for line in lines:
            if pattern.search(line) and not (
                _CLEAN_LINE.search(line) or _SOURCE_LINE.search(line) or _BARE_EXIT.search(line)
            ):
                return Failure(_announced(line, lines)[:_MAX_LINE])
    content = [line for line in lines if not _BARE_EXIT.search(line) and not _BANNER.search(line)]
    # what failed without a word for it: its first line, else how it ended ("Exit code 1")
    return Failure((content or lines)[0][:_MAX_LINE]) if lines else None


def _named(lines: list[str], text: str) -> Failure | None:
    """A failure with a name: of an edit, of a linter, of an exception."""
    for kind, pattern in _KINDS:
        found = next((line for line in lines if pattern.search(line)), None)
        if found:
            return Failure(found[:_MAX_LINE], kind)
    for line in reversed(lines):
        match = _EXCEPTION.match(ANSI.sub("", line)) or _RAISED_AS.match(line)
        if match:
            told = _assertion(lines) if _BARE_ASSERTION.match(line) else ""
            return Failure((told or _announced(line, lines))[:_MAX_LINE], match.group(1))
    if "Traceback (most recent call last)" in text:
        raised = next((line for line in reversed(lines) if _RAISED.match(line)), None)
        if raised:
            return Failure(raised[:_MAX_LINE])
    return None


def _assertion(lines: list[str]) -> str:
    """The last assertion that the output shows, "" without one."""
    return next((found[1] for line in reversed(lines) if (found := _ASSERTION.match(line))), "")


def _announced(line: str, lines: list[str]) -> str:
    """The line, or the next one when it only announces it ("... failed due to the following issue:")."""
    if not line.endswith((":", "：")):
        return line
    following = lines[lines.index(line) + 1 :][:1]
    tells = following and len(following[0]) > 8 and not _SOURCE_LINE.search(following[0])
    return following[0] if tells else line
