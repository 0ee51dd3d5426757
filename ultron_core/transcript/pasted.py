"""What of a message was typed and what a program printed; of the latter, the line that tells what failed."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["failure_told", "is_printed", "typed_lines"]

#: the head of a line that nobody types
_PRINTED = re.compile(
    r"^\s*(?:"
    # "[01/25/26 9:57 ~/src] ./run", "$ ls", "@@ -1 +1 @@", "+ new line", "22:00:54 [ERROR]"
    r"\[\d|\$ |❯|➜|@@|\+(?:[+\s_*#>]|$)|---|diff --git|\d{1,2}:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:"
    # "at main (a.js:3)", "File \"a.py\", line 3", "Caused by: java.io.IOException", "... 12 more"
    r"|at \S+ ?\(|File \"|Traceback|Caused by: |\.\.\. \d+ (?:more|common)"
    # "{", "│ total", "- Current branch:"
    r"|[{}<|│─╭╰👀]|[-*] Current [\w ]+:"
    # "[INFO] Building core 1.0", "WARN: slow", "npm ERR! code 1", "FAIL src/a.test.ts", "✓ adds"
    r"|\[?(?:INFO|ERROR|WARN(?:ING)?|DEBUG|FATAL|SEVERE)(?:\]|:)|[Ww]arning: "
    r"|npm (?:ERR!|error|warn)|(?:FAIL|PASS) +\S+[./]"
    r"|[✓✔×✗✘] "
    # "Uncaught TypeError: x is null", "java.lang.IllegalStateException: closed", "fatal error: a.h: No such file"
    r"|(?:Uncaught )?[\w.$]{0,100}(?:Error|Exception)(?:: |$)|Exception in thread|fatal(?: error)?: "
    # "rmmod: ERROR: could not open", "docker: Error response from daemon", "Unable to find image 'x' locally"
    r"|[\w./-]{1,40}: (?:ERROR|FATAL|Error response|error|fatal):? |Unable to find image '"
    # "src/a.c:3:10: error", "index.js:19 Uncaught Error", "   12 | return x", "> 12 | return x", "▶\t112: catch"
    r"|[\w./\\-]{1,200}\.\w{1,6}:\d+(?::\d+| Uncaught )|[>▶]?\s?\d+ \| |▶?\s{0,8}\d{2,6}: "
    r")"
)
#: a prompt with the command typed behind it: `C:\work\app>mvn test`, `PS D:\app> npm start`, `(env) D:\x>py a.py`
_WINDOWS_PROMPT = re.compile(r"^\s*(?:\([\w.-]+\) )?(?:PS )?[^<>|\"\\\n]{0,60}\\[^<>|\"\n]{0,200}>")
#: the same elsewhere: `ann@box:~/src$ make`, `root@3f2a:/app# ls`, `ann@mac app % npm test`
_PROMPT = re.compile(r"^\s*(?:\([\w.-]+\) )?[\w.-]{1,40}@[\w.-]{1,60}[: ][^$#%\n]{0,80}[$#%] ")
#: a frame of a stack whose head is cut off, or the rule below a heading of a build: `util.List.forEach(List.java:15)`,
#: `compiler:3.1 (default) @ core ---`
_PRINTED_END = re.compile(r"\([\w$]{1,80}\.\w{1,6}:\d+(?::\d+)?\)\s*$|\S ---\s*$")
#: nothing but paths, which say where to look and not what for: `/srv/app/a.log /srv/app/b.db`
_ONLY_PATHS = re.compile(r"^\s*[~.]{0,2}/\S+(?:\s+[~.]{0,2}/\S+)*\s*$")
#: words of a person below what they pasted, without an empty line between: `怎么解决这个`, `what is wrong here?`
_TYPED_AGAIN = re.compile(r"^[^\\\[\]/]{0,40}[\u3400-\u9fff]{4}[^\\]*$|^[A-Za-z][\w ,'’]{10,200}\?\s*$")
# the lines that tell what failed, the most telling kind first
#: the last cause of a Java chain, e.g. `Caused by: a.b.ConnectException: refused`
_CAUSE = re.compile(r"^[^\S\n]*Caused by: (?:[a-z]\w*\.)+(?:\w+\$)*(\S.{7,})$", re.MULTILINE)
#: an error by its name, e.g. `ValueError: port is not set`, `[AddressError] port is taken`, `fatal error: a.h: no file`
_NAMED = re.compile(
    r"^.*?(?:\[\w*(?:Error|Exception)\] |(?=\b\w*(?:Error|Exception)\b:? |\bfatal error: ))(\S.{7,})$", re.M
)
#: what a log marks, e.g. `[ERROR] disk full at noon`, `npm ERR! missing script`
_MARKED = re.compile(
    r"^.*?(?:\[ERROR\]|\bERROR:|\bnpm ERR!|\berror:|\bFAILED:?) ([A-Za-z].{7,}[^:\s])\s*$", re.MULTILINE
)
#: characters of a message in which the line is looked for
_LOOKED_AT = 20_000


def is_printed(line: str) -> bool:
    """Whether a program printed this line, by its look."""
    return any(
        pattern.search(line) for pattern in (_PRINTED, _WINDOWS_PROMPT, _PROMPT, _PRINTED_END, _ONLY_PATHS)
    )


def typed_lines(text: str) -> Iterator[str]:
    """The lines that a person typed: what a program printed goes on to the next empty line."""
    pasted = False
    for line in text.splitlines():
        if is_printed(line):
            pasted = True
        elif pasted:
            pasted = bool(line.strip()) and not _TYPED_AGAIN.match(line)
        if not pasted:
            yield line


def failure_told(text: str) -> str:
    """The line of pasted output that tells what failed, without the mark before it; "" when there is none."""
    seen = text[:_LOOKED_AT]
    causes = _CAUSE.findall(seen)
    if causes:
        return str(causes[-1]).strip()
    found = _NAMED.search(seen) or _MARKED.search(seen)
    return found[1].strip() if found else ""
