"""Failures in tool output: is this result an error, and which line says so."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

__all__ = ["Failure", "clean_line", "find_failure"]

_MAX_SCAN = 60_000
_MAX_LINE = 400
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_EXCEPTION = re.compile(
    r"^(?:E\s+|Uncaught |Caused by: |thread '[^']*' )?(?:[A-Za-z_][\w.]*\.)?"
    r"([A-Z][A-Za-z]*(?:Error|Exception|Interrupt|Timeout|NotFound|DoesNotExist))\b(?::|\s*$|\s-)"
)
#: the last line of a traceback when its exception has an unusual name: `cv2.error: ...`
_RAISED = re.compile(r"^[A-Za-z_]\w*(?:\.\w+)+: \S")
#: lines that name a failure on their own, the most telling first
_LINES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:FAILED|ERROR) \S+(?:::\S+)+ - \S",
        r"^\s*(?:npm ERR!|fatal:|panic:|error(?:\[\w+\])?:|ERROR:|E: |make: \*\*\*|Segmentation fault)\s*\S",
        r"(?:^|[\s/])[\w.-]+: (?:line \d+: )?.{0,80}(?:command not found|No such file or directory|"
        r"Permission denied|not recognized)",
        r"^\s*(?:Error|Failed|Failure|Exception|Unable|Cannot|Could not|Can't)\b.{3,}",
        r"\b(?:error TS\d+|error\[E\d+\]|SyntaxError|[EF]\d{3} )",
        r"^.{0,160}?\b(?:error|failed|failure|not found|does not exist|denied|refused|invalid|"
        r"timed? ?out|unable to|unsupported)\b",
        r"错误[:：]|失败|报错|异常[:：]|无法|找不到|不存在|拒绝访问|超时",
    )
)
_STRONG = re.compile(
    r"Traceback \(most recent call last\)|^exitcode: [1-9]|^Exit code:? [1-9]|exit(?:ed with)? (?:code|status) [1-9]|"
    r"Return Code: [1-9]|^npm ERR!|^fatal: |command not found|: No such file or directory|: Permission denied|"
    r"^error(?:\[\w+\])?: |>>>>> Some Tests Failed|^(?:FAILED|ERROR) \S+::|<tool_use_error>|"
    r"Segmentation fault|^panic: |"
    r"^(?:Error|ERROR|错误|执行失败|运行失败)[:：]|error TS\d+:|^={3,}.*\b\d+ (?:failed|error)|ModuleNotFoundError|"
    r"did not conform to the edit format|^# Fix any errors below|Your (?:proposed edit|"
    r"edit).{0,80}(?:error|not)|Command failed|execution failed",
    re.MULTILINE,
)
#: failures of applying and of linting an edit, told apart from those of the tests that run after it
_KINDS = (
    (
        "PatchMismatch",
        re.compile(r"failed to (?:exactly )?match|^error: patch (?:failed|does not apply)|^Hunk #\d+ FAILED"),
    ),
    ("Lint", re.compile(r"^\S+:\d+(?::\d+)?:? [EFWC]\d{3,4}\b")),
)
_NOISE = re.compile(
    r"See above for error|^\s*(?:Subprocess args|\[[^\]]+\] \[[^\]]+\] (?:Subprocess|Command))"
)
#: what a harness puts around the message of a refused call
_TAG = re.compile(r"</?(?:tool_use_error|error)>")
_CLEAN_EXIT = re.compile(r"exitcode: 0|Return Code: 0|Exit code:? 0", re.IGNORECASE)
_READING = re.compile(r"read|view|cat|open|grep|search|glob|list|fetch|lookup|find|browse|web", re.IGNORECASE)
_JSON_ERROR = ("error", "errors", "error_message", "err", "错误")
#: source, diff and box lines: an error's name in them is text, no event
_SOURCE_LINE = re.compile(
    r"^(?:\d+\s*[│|:→]|[│|+*#/<>]|//|--|\.\.\.|import |from \S+ import|def |class |return |raise |assert |if |elif |"
    r"else|for |while |try|except|throw |const |let |var |function )|[{};]$|\.\.\. ok$"
)
#: a path from the root, the home or a parent folder; one inside a sed expression or URL is none
#: cut to its last parts, `/home/alice/work` would show the user where redaction cannot see one any more
_HOME = re.compile(r"(?<![\w.…:/\\~-])(?:[A-Za-z]:)?[/\\]{1,2}(?:home|Users)[/\\]{1,2}[\w.@+-]+(?=[/\\])")
_DEEP_PATH = re.compile(r"(?<![\w.…:/\\~-])(?:[A-Za-z]:|~|\.{1,2})?(?:[/\\][\w.@+-]+){3,}")


@dataclass(frozen=True, slots=True)
class Failure:
    """`line` is verbatim from the output (at most 400 characters); `kind` is the exception's name or empty."""

    line: str
    kind: str = ""


def find_failure(output: str, *, is_error: bool | None, tool: str = "") -> Failure | None:
    """The failure that a tool result reports, or None.

    The log's own error mark decides when it is set. Otherwise the output must hold a strong sign; what a
    reading tool shows is content, in which an error's name means nothing.
    """
    text = output[:_MAX_SCAN]
    if is_error is False and not _STRONG.search(text[:400]):
        return None
    if not is_error and not _looks_failed(text, tool):
        return None
    return _telling(text)


def clean_line(line: str, limit: int = 240) -> str:
    """A line fit for a sentence: no colours, markup or white space runs, long paths cut to their last parts."""
    line = _TAG.sub("", _ANSI.sub("", line.split("\\n")[0]))
    line = _HOME.sub("~", line)
    line = _DEEP_PATH.sub(lambda match: "…/" + "/".join(re.split(r"[/\\]", match.group())[-2:]), line)
    line = " ".join(line.split()).strip()
    if line.count("`") % 2 or not line.strip("`").count("`"):  # around the whole line or without a partner
        line = line.strip(" `")
    line = re.sub(r"^E\s+(?=\w)", "", line)
    if len(line) <= limit:
        return line
    cut = line[:limit].rsplit(" ", 1)[0] if " " in line[:limit] else line[:limit]
    return cut.rstrip(" ,;:") + "…"


def _looks_failed(text: str, tool: str) -> bool:
    message = _json_error(text)
    if message is not None:
        return True
    if _READING.search(tool):
        head = text[:200]
        return _STRONG.match(head) is not None
    return _STRONG.search(text) is not None and not (_CLEAN_EXIT.search(text) and "Traceback" not in text)


def _json_error(text: str) -> str | None:
    """The message of a JSON answer such as {"error": "..."} or {"success": false, "message": "..."}."""
    if not text.lstrip().startswith("{") or len(text) > 4000:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    for key in _JSON_ERROR:
        if isinstance(value.get(key), str) and value[key].strip():
            return str(value[key])
    if value.get("success") is False or value.get("status") in ("error", "failed", "failure"):
        message = value.get("message") or value.get("reason")
        return str(message) if message else None
    return None


def _said_by(line: str, lines: list[str]) -> str:
    """The line, or the next one when it only announces it ("... failed due to the following issue:")."""
    if not line.endswith((":", "：")):
        return line
    following = lines[lines.index(line) + 1 :][:1]
    return (
        following[0]
        if following and len(following[0]) > 8 and not _SOURCE_LINE.search(following[0])
        else line
    )


def _telling(text: str) -> Failure | None:
    message = _json_error(text)
    if message is not None and message in text:
        return Failure(message[:_MAX_LINE])
    lines = [line.strip() for line in _TAG.sub("\n", text).splitlines()]
    lines = [line for line in lines if line and not _NOISE.search(line)]
    for kind, pattern in _KINDS:
        found = next((line for line in lines if pattern.search(line)), None)
        if found:
            return Failure(found[:_MAX_LINE], kind)
    for line in reversed(lines):
        match = _EXCEPTION.match(_ANSI.sub("", line))
        if match:
            return Failure(_said_by(line, lines)[:_MAX_LINE], match.group(1))
    if "Traceback (most recent call last)" in text:
        raised = next((line for line in reversed(lines) if _RAISED.match(line)), None)
        if raised:
            return Failure(raised[:_MAX_LINE])
    for pattern in _LINES:
        for line in lines:
            if pattern.search(line) and not _CLEAN_EXIT.search(line) and not _SOURCE_LINE.search(line):
                return Failure(_said_by(line, lines)[:_MAX_LINE])
    return None
