"""What a git command does to branches, remotes and checks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ultron_core.transcript.hazards.words import URL, Words, has_short, operands

__all__ = ["done_by_git"]

#: keys of git's configuration that decide where it goes and what it runs, e.g. `url.x.insteadOf`
_GIT_PLACES = re.compile(
    r"^(?:url|remote|credential|includeIf|alias)\.|^core\.(?:sshCommand|hooksPath|gitProxy|fsmonitor)|^http\..*proxy",
    re.I,
)
#: and those that switch a check off, with the value that does, e.g. `http.sslVerify false`
_GIT_CHECKS = re.compile(r"sslverify|gpgsign|verifysignatures|fsckobjects", re.IGNORECASE)
_OFF = frozenset(("false", "0", "off", "no", "none"))


def done_by_git(arguments: Words) -> Iterator[str]:
    """The hazards of `git` with these arguments."""
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        value = rest.pop(0) if flag in ("-C", "-c") and rest else ""
        if flag == "-c":
            yield from _git_setting(value.split("=", 1))
    verb, rest = (rest[0], rest[1:]) if rest else ("", [])
    own = operands(rest)
    if verb == "push":
        if has_short(rest, "fd") or any(
            w.startswith(("--force", "--mirror", "--delete", "--prune")) for w in rest
        ):
            yield "deletes"
        if any(word.startswith(("+", ":")) for word in own):
            yield "deletes"
        if any(URL.search(word) for word in own):
            yield "changes_remote"
    elif verb == "remote" and own[:1] in (["add"], ["set-url"], ["rename"], ["remove"], ["rm"]):
        yield "changes_remote"
    elif verb == "config":
        yield from _git_setting([word for word in own if word not in ("set", "unset")])
    elif (verb, *own[:1]) in (
        ("stash", "drop"),
        ("stash", "clear"),
        ("reflog", "expire"),
        ("reflog", "delete"),
    ) or (
        (verb == "reset" and "--hard" in rest)
        or (verb == "clean" and (has_short(rest, "f") or "--force" in rest))
        or (verb == "branch" and (has_short(rest, "D") or "--delete" in rest))
        or (verb in ("checkout", "restore") and "." in own)
        or verb in ("filter-branch", "filter-repo")
    ):
        yield "deletes"
    elif verb == "commit" and has_short(rest, "n"):
        yield "disables_checks"


def _git_setting(words: Words) -> Iterator[str]:
    if words and _GIT_PLACES.search(words[0]):
        yield "changes_remote"
    if words and _GIT_CHECKS.search(words[0]) and (len(words) > 1 and words[1].lower() in _OFF):
        yield "disables_checks"
