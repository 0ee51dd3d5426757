"""What a tool result came to: good, empty, a failed check, an error, a time-out, a refusal; decided here alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ultron_core.transcript.harness import (
    EDIT_REFUSED,
    HARNESS_FAILURES,
    HARNESS_SHELL_END,
    HARNESS_SUCCESS,
    joined,
)
from ultron_core.transcript.results.checks import Checks, read_checks
from ultron_core.transcript.results.telling import ANSI, TAG, Failure, json_error, telling_line

__all__ = ["Outcome", "clean_line", "find_failure", "read_result", "reports_success"]

#: `failed`: a check ran and did not pass; `empty`: it ran and found nothing; `refused`: a person did not allow the call
Outcome = Literal["ok", "passed", "empty", "failed", "error", "timeout", "refused"]

#: pasted logs of megabytes: the head is enough to name a failure
_MAX_SCAN = 60_000
#: signs of an outcome appear at the head or the tail of a tool's output; the middle is the output itself
_EDGE = 1_500
#: of a result that the log marks as good, or of a tool that shows text, only the head can be about the call
_HEAD = 400
#: an answer that found nothing is short
_MAX_EMPTY = 400


def _any(*patterns: str, flags: int = re.IGNORECASE | re.MULTILINE) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)


#: the result says that it failed; anchored, so that text which only speaks of errors does not count
_STRONG = _any(
    # "Exit code 1", "exitcode: 1 (execution failed)", "Process exited with code 2", "Return Code: 1"
    r"\b(?:exit(?:ed)?(?: with)?|return)[ _]?(?:code|status)\"?[:= ]{1,3}-?[1-9]\d*\b(?!\.\d)",
    # "exit: 1", printed by `echo "exit: $?"`
    r"^[^\w\n]*exit(?:ed)?[:=] ?[1-9]\d*\s*$",
    # "app.ts:17 Uncaught TypeError: Cannot set properties of null", as the console of a browser prints it
    r"(?:^|\s)Uncaught (?:\(in promise\) )?[A-Z]\w*(?:Error|Exception)\b",
    # "cat: illegal option -- A", "grep: unrecognized option '--foo'"
    r"^[\w./-]{1,40}: (?:illegal|invalid|unrecogni[sz]ed|unknown) option\b",
    # "<returncode>1</returncode>", "returned non-zero exit status 2"
    r"<returncode>\s*-?[1-9]|\breturned non-zero exit status\b",
    r"Traceback \(most recent call last\)",
    # "ValueError: bad token", "openai.error.RateLimitError: quota", "IndentationError: expected an indented block"
    r"^[^\S\n]*(?:E\s+)?[\w.]*(?:(?-i:[a-z]Error|Exception)|\.error)\b ?(?:\[\w+\])?:",
    # "Error executing query: Unknown column 'id'", "error[E0308]: mismatched", "ERROR: No matching distribution"
    r"^[^\S\n]*(?:error|fatal|panic|failed|failure)\b ?(?:\[\w+\])?[:!]|^[^\S\n]*error\b[^:.\n]{1,40}: \S|^E: \S",
    r"^[^\S\n]*(?:failed|unable|not allowed|not permitted) to \w+",
    # "a.ts(499,20): error TS2304: ...", "main.c:3:1: fatal error: x.h", "2:5 error TS1005", "... ts(2322)"
    r"\berror TS\d+|\bts\(\d{4,5}\)|^\S+:\d+:\d+: (?:fatal )?error:",
    # "wcs.py:52:12: F821 undefined name"
    r"^\S+\.\w+:\d+:\d+: [EF]\d{3}\b",
    # "bash: foo: command not found", "cat: a.txt: No such file or directory"
    # and curl's, behind a progress bar: "\\rWarning: Failed to create the file /a/b: No such file or directory"
    r"(?:^|\r).{0,200}: (?:command not found|no such file or directory|permission denied|cannot access)",
    # "zsh: no matches found: src/[id]/page.tsx", "(eval):1: bad substitution"
    r"^(?:zsh|\(eval\)):(?:\d+:)? (?:no matches found|bad (?:pattern|substitution|option))\b",
    # git: " ! [rejected]        main -> main (fetch first)"
    r"^[^\S\n]*! \[(?:remote )?rejected\] ",
    # "/bin/bash: -c: line 1: syntax error near unexpected token `('", "(eval):1: parse error near `)'"
    r"^.{0,60}: ?(?:line )?\d+: (?:syntax error|parse error|unexpected EOF)\b",
    # "go: cannot write multiple packages to non-directory specstory", "/a/*: cannot open `/a/*' (No such file ...)"
    r"^[\w./*+-]{1,60}: cannot [a-z]+ \S",
    r"^[^\S\n]*npm err(?:!|or\b)|^(?:\x1b\[[0-9;]*m|[^\S\n])*ERR_PNPM_\w+\s|^[^\S\n]*make: \*\*\*|"
    r"^Segmentation fault|^error: patch ",
    # "FAILED tests/test_a.py::test_b", "==== 2 failed, 3 passed ===="
    r"^(?:FAILED|ERROR) \S+::|^={3,}.*\b\d+ (?:failed|error)",
    r"\"(?:success|ok)\"\s*:\s*false|\"(?:status|result)\"\s*:\s*\"(?:error|failed|failure)\"",
    # "Request failed with status code 404", "HTTP 503", "Command failed: git push"
    r"\b(?:request|command|execution) failed\b|^(?:HTTP (?:Error )?|.{0,60}\bstatus code )[45]\d\d\b",
    # PowerShell, in any language: "    + FullyQualifiedErrorId : InvalidEndOfLine"; not of a program's stderr
    r"^[^\S\n]*\+[^\S\n]*FullyQualifiedErrorId[^\S\n]*: (?!NativeCommandError\b)\S",
    # ssh: "Host key verification failed.", "a@web1: Permission denied (publickey).", "Connection closed by 10.0.0.5"
    r"^Host key verification failed\.|\bPermission denied \([\w,-]+\)|"
    r"^(?:kex_exchange_identification: )?Connection (?:closed|reset) by \S+(?: port \d+)?\s*\Z",
    # what a program needs first: "Cannot find app ref. Have you run `fly link`?", "Please provide --token flag"
    r"^.{0,160}\bhave you run [`'\"]?\w+|^.{0,160}\bplease (?:provide|specify|pass) (?:the |an? )?[`'\"]?--\w",
    # a shell and a planner of a game: "Invalid action: open drawer 1"
    r"^.{0,40}\binvalid (?:action|argument|input|syntax)\b",
    # "错误：标记无效", "执行失败：连接超时", "权限不足"
    r"^[^\S\n]*(?:错误|失败|异常|出错)|(?:执行|操作|请求|连接|调用|运行)(?:失败|出错|错误)|权限不足",
)
#: what a harness itself says of a failed call or a refused edit, in transcript/harness.py, e.g.
#: `<tool_use_error>File has not been read yet.`, `Your proposed edit has introduced new syntax error(s).`
_HARNESS = re.compile(f"{joined(HARNESS_FAILURES).pattern}|{joined(EDIT_REFUSED).pattern}", re.MULTILINE)
_TIMEOUT = _any(
    # "Test script run timed out", "Command timed out after 2m 0.0s", "timed out and has been killed"
    r"\btimed out\b|\b(?:Read|Connect|Connection)?Timeout(?:Error|Expired|Exception| expired| exceeded|:)",
    r"\bdeadline exceeded\b|超时",
)
#: a person or a policy did not let the call run
_REFUSED = _any(
    # "The user doesn't want to proceed with this tool use."
    r"^[^\S\n]*the user (?:doesn'?t|does not) want to (?:proceed|take this action)",
    # "Tool use was rejected by the user", "Command denied by user"
    r"^[^\S\n]*(?:tool use|request|operation|command|edit) (?:was )?(?:rejected|denied|refused|declined)\b",
    r"^[^\S\n]*the user (?:has )?(?:rejected|denied|declined|refused)\b",
    # "Permission to use Bash has been denied", "Claude requested permissions to write to a.py, but you haven't granted"
    r"^[^\S\n]*permission to use \S+ (?:.{0,60} )?(?:has been )?denied\b",
    r"\brequested permissions? to .{0,80}\bhaven't granted\b",
    r"^[^\S\n]*用户(?:拒绝|取消)了",
)
#: it ran and found nothing
_EMPTY = re.compile(
    r"^\s*(?:\[\]|\{\}|null|none|nil)\s*$"
    # "No files found", "No matches found", "No Results"
    r"|^\s*no (?:results?|matches?|match|files?|data|records?|entries|rows) ?(?:found|were found)?\b"
    # "Could not find [Eric Ambler genres]. Similar: [...]"
    r"|^\s*(?:could not|cannot|can't|couldn't|unable to) find\b"
    r"|^\s*\S{0,40} ?not found\b|\bdoes not exist\b|^\s*0 (?:results|matches|rows)\b"
    # the answer of a game to an action that changed nothing: "Nothing happens."
    r"|^nothing happen(?:s|ed)\.?\s*\Z"
    r"|^\s*(?:没有找到|未找到|找不到|无结果|没有结果|不存在)",
    re.IGNORECASE,
)
#: the only words of a search that found nothing: "(no output)\n\nCommand exited with code 1", "Exit code 1"
_ONLY_EXIT_1 = re.compile(
    r"\s*(?:\(no output\)\s*)?(?:command |process )?exit(?:ed)?(?: with)?(?: code| status)?[:= ]+1\s*",
    re.IGNORECASE,
)
#: the last command of a line ends with 1 when it found nothing: "git log | grep fix", "which jq"
_SEARCHES = re.compile(
    r"(?:^|[|;&\n])\s{0,20}(?:grep|egrep|fgrep|zgrep|rg|ag|pgrep|which|git grep)\b"
    r"(?:'[^']*'|\"[^\"]*\"|[^|;&\n'\"])*(?:\|\s*(?:head|tail|sort)\b[^|;&\n]*)?\Z"
)
#: the call asks how its command ended: `ls DIR 2>/dev/null; echo "exit: $?"`
_ASKS_EXIT = re.compile(r"\becho\b[^;&|\n]*\$\?")
#: the answer to it and nothing else: "exit: 1", "EXIT=2"
_ONLY_ANSWER = re.compile(r"\s*(?:\w+(?: \w+)?[:= ]+)?[1-9]\d{0,2}\W*")
#: what the shell of an editor prints after each command, e.g. `zsh:1: command not found: dump_zsh_state`
_SHELL_MARK, _SHELL_END = "dump_", re.compile(joined(HARNESS_SHELL_END).pattern, re.MULTILINE)
#: it says that it worked
_OK = _any(
    # "Exit code: 0", "The command exited with status 0"
    r"\bexit(?:ed with)?[ _]?(?:code|status)[:= ]+0\b",
    r"\b(?:build|tests?|check|compilation) (?:succeeded|passed|successful)\b|\ball checks passed\b",
    # "Successfully installed", "The file a.py has been updated."
    r"\bsuccessful(?:ly)?\b|\bhas been (?:updated|created|saved)\b",
    r"\"(?:success|ok)\"\s*:\s*true|\"status\"\s*:\s*\"(?:ok|success)\"|成功|已完成|已创建|已更新",
)
#: what a harness itself says of a call that did its work, in transcript/harness.py, e.g. `Applied edit to
#: app.py`
_DONE = joined(HARNESS_SUCCESS)
#: e.g. `exit code: 0`, `exited with code 0`, `<returncode>0`
_CLEAN_EXIT = re.compile(
    r"exit(?:ed with)?[ _]?(?:code|status)[:= ]+0\b|exitcode: 0|Return Code: 0|<returncode>\s*0\b",
    re.IGNORECASE,
)
#: e.g. `exit code 2`, `Return Code: 1`
_BAD_EXIT = re.compile(r"(?:exit|return)[ _]?code[:= >]+[1-9]", re.IGNORECASE)
#: tools whose output is text that somebody wrote, by a word of the name: `Read`, `search_file`, `TaskOutput`
_SHOWS = re.compile(
    r"(?:^|[^a-zA-Z])(?i:read|view|cat|open|grep|search|glob|ls|list|fetch|lookup|find|browse|web|task|agent)"
    r"(?![a-z])|(?:Read|View|Grep|Search|Glob|List|Fetch|Find|Web|Task|Agent)(?![a-z])"
)
#: cut to its last parts, it would show the user where redaction cannot see one any more, e.g.
#: `/home/alice/work`
_HOME = re.compile(r"(?<![\w.…:/\\~-])(?:[A-Za-z]:)?[/\\]{1,2}(?:home|Users)[/\\]{1,2}[\w.@+-]+(?=[/\\])")
#: only the end of a long path is shown, e.g. `/usr/lib/python3/site-packages/yaml.py`
_DEEP_PATH = re.compile(r"(?<![\w.…:/\\~-])(?:[A-Za-z]:|~|\.{1,2})?(?:[/\\][\w.@+-]+){3,}")


@dataclass(frozen=True, slots=True)
class Result:
    """`failure` is set for error, failed and timeout; `checks` is what test summaries in the output say."""

    outcome: Outcome
    failure: Failure | None
    checks: Checks


def read_result(
    output: str, *, is_error: bool | None, tool: str = "", call: Sequence[str] = (), shows: bool = False
) -> Result:
    """What one tool result came to.

    The log's own error mark decides when it is set. Without it the output must hold a strong sign; in what a
    reading tool shows (`shows`, or by the name of `tool`) only the first line can be about the call itself. `call`
    holds the texts of its arguments: a search that found nothing, or a question for the exit code, has not
    failed, and a line that repeats the call tells nothing.
    """
    if _SHELL_MARK in output:  # after a command that worked as after one that failed
        output = _SHELL_END.sub("", output)
    if _found_nothing(output, call):
        return Result("empty", None, "none")
    text = output if len(output) <= _MAX_SCAN else f"{output[:_MAX_SCAN]}\n{output[-_EDGE:]}"
    shows = shows or bool(_SHOWS.search(tool))
    if _REFUSED.search(text[:_HEAD]) and is_error is not False:
        return Result("refused", None, "none")
    edges = text if len(text) <= 2 * _EDGE else f"{text[:_EDGE]}\n{text[-_EDGE:]}"
    checks: Checks = "none" if shows else read_checks(edges)
    outcome = _outcome(text, edges, is_error, shows, checks)
    failure = telling_line(text, call) if outcome in ("error", "failed", "timeout") else None
    return Result(outcome, failure, checks)


def _found_nothing(output: str, call: Sequence[str]) -> bool:
    """True when the output is an exit code alone, and the call searched or asked for that code."""
    if _ONLY_EXIT_1.fullmatch(output) and any(map(_SEARCHES.search, call)):
        return True
    return _ONLY_ANSWER.fullmatch(output) is not None and any(map(_ASKS_EXIT.search, call))


def find_failure(output: str, *, is_error: bool | None, tool: str = "") -> Failure | None:
    """The failure that a tool result reports, or None."""
    return read_result(output, is_error=is_error, tool=tool).failure


def reports_success(text: str) -> bool:
    """True when the head or the tail of a result says in words that it worked."""
    return any(
        _OK.search(part) or _DONE.search(part) or read_checks(part) == "passed"
        for part in (text[:_EDGE], text[-_EDGE:])
    )


def _outcome(text: str, edges: str, is_error: bool | None, shows: bool, checks: Checks) -> Outcome:
    if not is_error and not _failed(text, edges, is_error, shows, checks):
        if len(text) < _MAX_EMPTY and _EMPTY.search(text):
            return "empty"
        return "passed" if checks == "passed" else "ok"
    if _TIMEOUT.search(text[:_HEAD] if shows else edges):
        return "timeout"
    return "failed" if checks in ("failed", "mixed") else "error"


def _failed(text: str, edges: str, is_error: bool | None, shows: bool, checks: Checks) -> bool:
    if json_error(text) is not None:
        return True
    if shows:
        head = text[:_HEAD].lstrip()
        return any(pattern.match(head) for pattern in (_STRONG, _HARNESS, _TIMEOUT))
    if is_error is False:
        return bool(_STRONG.search(text[:_HEAD])) or checks in ("failed", "mixed")
    if _CLEAN_EXIT.search(text) and not _BAD_EXIT.search(text) and "Traceback" not in text:
        return checks in ("failed", "mixed")
    signs = (_STRONG, _HARNESS, _TIMEOUT)
    return checks in ("failed", "mixed") or any(pattern.search(edges) for pattern in signs)


def _first_told(line: str) -> str:
    """The first line of an output whose line breaks were written as `\\n`, with the next one when it ends in a colon:
    "Pre-commit validation failed:\\n\\n[FORMAT] Code is not formatted."."""
    first, *rest = line.split("\\n")
    following = next((part for part in rest if part.strip()), "") if first.rstrip().endswith(":") else ""
    return f"{first} {following}".rstrip()


def clean_line(line: str, limit: int = 240) -> str:
    """A line fit for a sentence: no colours, markup or white space runs, long paths cut to their last parts."""
    line = TAG.sub("", ANSI.sub("", _first_told(line)))
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
