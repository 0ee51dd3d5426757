"""What one command line does, by its programs, verbs and flags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from ultron_core.transcript.hazards.git import done_by_git
from ultron_core.transcript.hazards.spoken import Said
from ultron_core.transcript.hazards.words import URL, Words, has_short, operands, program_of

__all__ = ["done_by"]

_FETCHERS = frozenset(
    [
        "curl",
        "wget",
        "fetch",
        "http",
        "https",
        "aria2c",
        "iwr",
        "irm",
        "invoke-webrequest",
        "invoke-restmethod",
        "nc",
        "ncat",
        "netcat",
        "base64",
        "openssl",
        "xxd",
    ]
)
#: what runs what it is given, e.g. `bash`
_SHELLS = re.compile(
    r"(?:ba|z|da|k|fi)?sh|source|\.|eval|iex|invoke-expression|pwsh|powershell|python[\d.]*|node|perl|ruby|php"
)
#: a shell that is given what a fetcher prints, e.g. `bash <(curl -s x)`, `sh -c "$(wget -qO- x)"`, `` eval `curl x` ``
_GIVEN = re.compile(
    r"(?:\b(?:ba|z|da|k|fi)?sh|\bsource|\beval|\biex|\bpython[\d.]*|(?:^|\s)\.)[^|;&\n]{0,40}?(?:<\(|\$\(|`|\()\s*"
    r"(?:sudo )?(?:curl|wget|iwr|irm|fetch|base64)\b",
    re.IGNORECASE,
)
#: folders that a build makes again, e.g. `./node_modules`
_MADE = re.compile(
    r"(?:\./)?(?:[\w.-]+/)*(?:node_modules|build|dist|target|out|coverage|__pycache__|\.?cache|\.next|\.nuxt|"
    r"\.venv|venv|"
    r"\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.turbo|\.gradle|DerivedData|\.eggs|[\w*.-]+\.(?:egg-info|"
    r"pyc|o|lock|log|"
    r"tmp))/?\*?"
)
#: a flag that leaves a check out, e.g. `--no-verify`, `--skip-ssl-validation`, `--dangerously-skip-permissions`
_UNCHECKED = re.compile(
    r"--(?:no|skip|disable|ignore|without|allow)[\w-]*(?:verif|check|cert|ssl|tls|auth|secur|sandbox|sign|gpg|"
    r"hook|test|"
    r"lint|valid|protect|permission|policy|insecure)[\w-]*(?:=\S+)?|--(?:insecure|privileged|yolo|trusted-host|"
    r"force-yes)(?:=\S+)?|"
    r"--dangerously[\w-]*|-D(?:skipTests|maven\.test\.skip)(?:=\S+)?|-o?StrictHostKeyChecking=no"
)
#: services and settings that guard a machine, e.g. `firewalld`
_GUARDS = re.compile(
    r"firewall|ufw|apparmor|selinux|audit|fail2ban|defender|clam|falcon|crowdstrike|gatekeeper", re.IGNORECASE
)
#: options that name another place to install from, e.g. `--index-url=http://x`
_INDEX = re.compile(
    r"--(?:index-url|extra-index-url|index|default-index|registry|find-links|source|channel|proxy)(?:=.*)?"
)
#: e.g. `DROP TABLE users`
_SQL = re.compile(
    r"\bdrop\s+(?:table|database|schema)\b|\btruncate\s+(?:table\s+)?\w|\bdelete\s+from\s+[\w.]+\s*(?:;|$|"
    r"[\"'])|\bflush(?:all|db)\b|"
    r"\bdropDatabase\b",
    re.IGNORECASE,
)


def done_by(said: Said) -> Iterator[str]:
    """The hazards of a command line, by the words of hazards.HAZARDS; installing is told in `packages`."""
    if _GIVEN.search(said.raw):
        yield "runs_remote"
    if any(_SQL.search(word) for words in said.commands for word in words) or _SQL.search(said.raw):
        yield "deletes"
    for pipeline in said.pipelines:
        programs = [program_of(words)[0] for words in pipeline]
        fetched = next((at for at, name in enumerate(programs) if name in _FETCHERS), None)
        if fetched is not None and any(_SHELLS.fullmatch(name) for name in programs[fetched + 1 :]):
            yield "runs_remote"
        for words in pipeline:
            yield from _of_command(words)
    yield from _fetched_then_run(said)


def _of_command(words: Words) -> Iterator[str]:
    name, arguments = program_of(words)
    if any(_UNCHECKED.fullmatch(word) for word in words):
        yield "disables_checks"
    judge = _JUDGES.get("mkfs" if name.startswith("mkfs") else name)
    if judge is not None:
        yield from judge(arguments)


def _fetched_then_run(said: Said) -> Iterator[str]:
    """`wget x/i.sh && sh i.sh`, `curl -o i.sh x; chmod +x i.sh; ./i.sh`."""
    seen = False
    for words in said.commands:
        name, arguments = program_of(words)
        if seen and (
            _SHELLS.fullmatch(name) or words[0].startswith("./") or (name == "chmod" and "+x" in arguments)
        ):
            yield "runs_remote"
        seen = seen or (
            name in ("curl", "wget", "iwr", "fetch") and any(URL.search(word) for word in arguments)
        )


def _removed(arguments: Words) -> Iterator[str]:
    targets = operands(arguments)
    wide = [
        word
        for word in targets
        if "*" in word or word.startswith(("/", "~", "$", "..")) or word in (".", ".git")
    ]
    if (wide or has_short(arguments, "rR") or "--recursive" in arguments) and not (
        targets and all(_MADE.fullmatch(word) for word in targets)
    ):
        yield "deletes"


def _curl(arguments: Words) -> Iterator[str]:
    if has_short([w for w in arguments if not w.startswith("--")], "k"):
        yield "disables_checks"
    for flag, value in zip(arguments, [*arguments[1:], ""], strict=False):  # no arguments, no pairs
        sends = re.fullmatch(
            r"-\w*[dFT]|--(?:data[\w-]*|form[\w-]*|upload-file|json)|--post-(?:file|data)(?:=.*)?", flag
        )
        if sends and (flag.endswith("T") or "file" in flag or re.search(r"@|\$|`", value + flag)):
            yield "sends_out"


def _listened(arguments: Words) -> Iterator[str]:
    if len(operands(arguments)) >= 2 and not has_short(arguments, "z"):
        yield "sends_out"


def _chmod(arguments: Words) -> Iterator[str]:
    if any(
        re.fullmatch(r"[0-7]?777|[0-7]?666|(?:a|o|ugo)?\+\w*w\w*|[ug]*\+s|[2467][0-7]{3}", word)
        for word in arguments
    ):
        yield "opens_access"


def _stopped(arguments: Words) -> Iterator[str]:
    if {"stop", "disable", "mask", "unload", "off"} & set(arguments) and any(map(_GUARDS.search, arguments)):
        yield "disables_checks"


def _package_tool(arguments: Words) -> Iterator[str]:
    words = list(arguments)
    setting = next(
        (" ".join(words[at:]) for at, word in enumerate(words) if word in ("config", "set", "env")), ""
    )
    if any(_INDEX.fullmatch(word) for word in words) or any(
        flag == "-i" and URL.search(value) for flag, value in pairwise(words)
    ):
        yield "changes_remote"
    if re.search(r"registry|index|proxy|channel|repositor|source|mirror", setting, re.IGNORECASE):
        yield "changes_remote"
    if re.search(
        r"(?:strict-ssl|ssl_verify|audit|cafile|signature)\S*[ =](?:false|off|no|0|null)\b",
        setting,
        re.IGNORECASE,
    ):
        yield "disables_checks"
    if words[:2] in (
        ["sources", "-a"],
        ["sources", "--add"],
        ["repo", "add"],
        ["source", "add"],
        ["nuget", "add"],
    ) or words[:1] in (["tap"],):
        yield "changes_remote"
    if words[:1] == ["unpublish"] or (words[:2] == ["audit", "fix"] and "--force" in words):
        yield "deletes" if words[0] == "unpublish" else "installs_unnamed"


def _verbs(*verbs: str) -> Callable[[Words], Iterator[str]]:
    def judge(arguments: Words) -> Iterator[str]:
        if any(re.match(rf"(?:{'|'.join(verbs)})\b", word) for word in arguments):
            yield "deletes"

    return judge


def _always(kind: str) -> Callable[[Words], Iterator[str]]:
    def judge(arguments: Words) -> Iterator[str]:
        if arguments:
            yield kind

    return judge


def _found(arguments: Words) -> Iterator[str]:
    if "-delete" in arguments or {"rm", "shred", "unlink"} & set(arguments):
        yield "deletes"


def _written(arguments: Words) -> Iterator[str]:
    if any(word.startswith("of=/dev/") and word != "of=/dev/null" for word in arguments):
        yield "deletes"


def _fire(arguments: Words) -> Iterator[str]:
    if has_short(arguments, "F") or {"--flush", "flush", "disable", "reset"} & set(arguments):
        yield "disables_checks"


def _member(arguments: Words) -> Iterator[str]:
    if {"sudo", "wheel", "docker", "admin", "root"} & {
        part for word in arguments for part in word.split(",")
    }:
        yield "opens_access"


_WINDOWS_DELETE = _always("deletes")
_CLOUD = _verbs(
    "delete", "destroy", "terminate", "rm", "rb", "purge", "drop", "remove", "uninstall", "apps:destroy"
)
_JUDGES: dict[str, Callable[[Words], Iterator[str]]] = {
    "rm": _removed,
    "rmdir": lambda words: _WINDOWS_DELETE(words) if {"/s", "/S"} & set(words) else iter(()),
    "rd": lambda words: _WINDOWS_DELETE(words) if {"/s", "/S"} & set(words) else iter(()),
    "del": lambda words: (
        _WINDOWS_DELETE(words) if {"/s", "/S", "/q", "/Q", "/f", "/F"} & set(words) else iter(())
    ),
    "remove-item": lambda words: (
        _WINDOWS_DELETE(words) if re.search("-r", " ".join(words), re.I) else iter(())
    ),
    "shred": _always("deletes"),
    "mkfs": _always("deletes"),
    "dropdb": _always("deletes"),
    "truncate": lambda words: _WINDOWS_DELETE(words) if has_short(words, "s") else iter(()),
    "dd": _written,
    "find": _found,
    "git": done_by_git,
    "gh": _CLOUD,
    "glab": _CLOUD,
    "docker": _verbs("prune", "rm", "rmi"),
    "podman": _verbs("prune", "rm", "rmi"),
    "kubectl": _verbs("delete"),
    "helm": lambda words: iter((*_verbs("uninstall", "delete")(words), *_package_tool(words))),
    "terraform": _verbs("destroy"),
    "tofu": _verbs("destroy"),
    "pulumi": _verbs("destroy"),
    "aws": _CLOUD,
    "gcloud": _CLOUD,
    "az": _CLOUD,
    "heroku": _CLOUD,
    "crontab": lambda words: _WINDOWS_DELETE(words) if has_short(words, "r") else iter(()),
    "curl": _curl,
    "wget": _curl,
    "nc": _listened,
    "ncat": _listened,
    "netcat": _listened,
    "chmod": _chmod,
    "setenforce": _always("disables_checks"),
    "ufw": _fire,
    "iptables": _fire,
    "nft": _fire,
    "systemctl": _stopped,
    "service": _stopped,
    "launchctl": _stopped,
    "netsh": _stopped,
    "csrutil": _fire,
    "spctl": lambda words: iter(("disables_checks",)) if "--master-disable" in words else iter(()),
    "set-mppreference": _always("disables_checks"),
    "set-executionpolicy": _always("disables_checks"),
    "ssh-copy-id": _always("opens_access"),
    "visudo": _always("opens_access"),
    "usermod": _member,
    "add-apt-repository": _always("changes_remote"),
    "apt-add-repository": _always("changes_remote"),
    **dict.fromkeys(
        [
            "pip",
            "pip3",
            "pipx",
            "uv",
            "uvx",
            "poetry",
            "pdm",
            "conda",
            "mamba",
            "micromamba",
            "npm",
            "npx",
            "pnpm",
            "yarn",
            "bun",
            "cargo",
            "gem",
            "go",
            "brew",
            "composer",
            "dotnet",
        ],
        _package_tool,
    ),
}
