"""`ultron-hook session-start | prompt | turn-end | session-end`: what an agent is told, and where its log goes.

Reads the event of Claude Code, Codex or Cursor from standard input. Never blocks or fails the agent: exit code 0
whatever happens, at most 2 s, the reason in `bridge.log` of the home.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from ultron_core.bridge.server import Away, ask, default_home, note, start

__all__ = ["main"]

#: of all that a hook does
_LONGEST_SECONDS = 1.8
#: of the one request: the rest is for starting up and for the spool
_ASK_SECONDS = 1.4
#: of a block at the beginning, and for a message
_START_TOKENS, _PROMPT_TOKENS = 1_000, 600
#: characters of a message: the question of a longer one stands at one of its ends
_MOST_QUERY = 8_000


class _TooLong(BaseException):
    """Time is up."""


def main() -> None:
    """The process edge."""
    home = default_home()
    try:
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, _LONGEST_SECONDS)
        event, home, agent = _arguments(sys.argv[1:], home)
        told = json.loads(sys.stdin.buffer.read() or b"{}")
        _EVENTS[event](home, agent, told)
        sys.stdout.flush()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        reason = sys.exc_info()[1]
        if reason is not None:
            # a full disk or a folder that may not be written: there is nowhere left to say it
            with contextlib.suppress(OSError):
                note(home, f"{' '.join(sys.argv[1:2])}: {type(reason).__name__}: {reason}")
        # whatever was raised ends here, without a word to the agent
        os._exit(0)


def _stop(_: int, __: FrameType | None) -> None:
    raise _TooLong(f"more than {_LONGEST_SECONDS} s")


def _arguments(given: list[str], home: Path) -> tuple[str, Path, str]:
    """`EVENT [--home FOLDER] [--agent NAME]`."""
    options = dict(zip(given[1::2], given[2::2], strict=True))
    agent = options.pop("--agent", "claude-code")
    home = Path(options.pop("--home", home))
    if options or given[:1] not in [[name] for name in _EVENTS]:
        raise ValueError(f"expected one of {', '.join(_EVENTS)}, then --home and --agent")
    return given[0], home, agent


def _session_start(home: Path, agent: str, told: dict[str, Any]) -> None:
    wanted = {
        "project": _folder(told),
        "session_id": told.get("session_id"),
        "budget_tokens": _START_TOKENS,
    }
    try:
        _print(str(told.get("hook_event_name") or "SessionStart"), _block(home, agent, wanted))
    except Away:
        start(home)
        raise


def _prompt(home: Path, agent: str, told: dict[str, Any]) -> None:
    query = str(told.get("prompt") or "").strip()
    if not query:
        return
    if len(query) > _MOST_QUERY:
        query = query[: _MOST_QUERY // 2] + "\n" + query[-_MOST_QUERY // 2 :]
    wanted = {
        "query": query,
        "project": _folder(told),
        "session_id": told.get("session_id"),
        "budget_tokens": _PROMPT_TOKENS,
    }
    _print("UserPromptSubmit", _block(home, agent, wanted))


def _folder(told: dict[str, Any]) -> Any:
    """Where the agent works; Cursor tells the folders of its window."""
    return told.get("cwd") or next(iter(told.get("workspace_roots") or ()), None)


def _turn_end(home: Path, agent: str, told: dict[str, Any]) -> None:
    """Codex says when a turn is over, and never that a session is."""
    _hand_in(home, agent, told, over=False)


def _session_end(home: Path, agent: str, told: dict[str, Any]) -> None:
    _hand_in(home, agent, told, over=True)


def _hand_in(home: Path, agent: str, told: dict[str, Any], *, over: bool) -> None:
    if told["transcript_path"] is None:  # Codex, where a session is not to be kept
        return
    path = str(told["transcript_path"])
    body = json.dumps({"paths": [path], "agent_id": agent, "over": over}).encode()
    try:
        status, _, _ = ask(home, "POST", "/ingest", body, agent=agent, timeout=_ASK_SECONDS)
        if status != 200:  # also where the key of this client may not have the log read: the home's owner may
            raise Away(f"the server answered {status}")
    except (Away, _TooLong):
        _spool(home, {"agent_id": agent, "path": path, "over": over})
        raise


def _spool(home: Path, told: dict[str, Any]) -> None:
    """A note for the next start of the server, whole or not at all; one a log."""
    folder = home / "spool"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = hashlib.sha256(os.fsencode(told["path"])).hexdigest()[:16]
    new = folder / f".{name}-{os.getpid()}"
    new.write_text(json.dumps(told), "utf-8")
    new.rename(folder / f"{name}.json")


def _block(home: Path, agent: str, wanted: dict[str, Any]) -> str:
    given = {key: value for key, value in {**wanted, "agent_id": agent}.items() if value}
    status, body, _ = ask(
        home, "POST", "/recall", json.dumps(given).encode(), agent=agent, timeout=_ASK_SECONDS
    )
    if status != 200:
        raise Away(f"the server answered {status}")
    return str(json.loads(body)["data"]["block"])


def _print(event: str, block: str) -> None:
    if not block:
        return
    told: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}
    if event == "sessionStart":  # Cursor's name and form
        told = {"additional_context": block}
    sys.stdout.write(json.dumps(told))


_EVENTS = {
    "session-start": _session_start,
    "prompt": _prompt,
    "turn-end": _turn_end,
    "session-end": _session_end,
}

if __name__ == "__main__":
    main()
