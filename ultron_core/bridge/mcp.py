"""`ultron-mcp`: JSON-RPC lines on standard input to the server's `/mcp`, its answers on standard output.

Starts the server when none answers. Holds no state but the protocol version that was agreed on.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ultron_core.bridge.server import Away, ask, default_home, note, start, wait_until_ready

__all__ = ["Bridge", "main"]

#: the first start of a home makes a database
_START_SECONDS = 90.0
#: seconds for one request
_ASK_SECONDS = 120.0
#: requests that a client may have open at a time
_THREADS = 4
#: codes of JSON-RPC
_PARSE_ERROR, _INVALID, _INTERNAL = -32700, -32600, -32603


class Bridge:
    """Lines in, lines out."""

    def __init__(self, home: Path, agent: str | None) -> None:
        self._home, self._agent = home, agent
        self._version: str | None = None
        self._out = threading.Lock()
        self._starting = threading.Lock()

    def run(self) -> None:
        """Until standard input ends; what was asked is answered before."""
        with ThreadPoolExecutor(_THREADS) as pool:
            for line in sys.stdin.buffer:
                if not line.strip():
                    continue
                try:
                    message = json.loads(line)
                except (ValueError, RecursionError):
                    self._fail(None, _PARSE_ERROR, "This line is no JSON.")
                    continue
                if not isinstance(message, dict):
                    self._fail(None, _INVALID, "One JSON-RPC object a line.")
                elif message.get("method") == "initialize":
                    self._answer(message)  # what follows needs the version that it agrees on
                else:
                    pool.submit(self._answer, message)

    def _answer(self, message: dict[str, Any]) -> None:
        request_id = message.get("id")
        try:
            status, body = self._post(message)
        except Away as error:
            note(self._home, f"mcp: {error}")
            self._fail(request_id, _INTERNAL, f"Ultron does not answer: {error}")
            return
        if not body.strip():
            return
        try:
            told = json.loads(body)
        except ValueError:
            told = None
        if isinstance(told, dict) and told.get("jsonrpc") == "2.0":
            if message.get("method") == "initialize" and isinstance(told.get("result"), dict):
                self._version = told["result"].get("protocolVersion")
            self._write(told)
        elif "method" in message and "id" not in message:
            note(self._home, f"mcp: a notification was answered with {status}")
        else:
            reason = told["error"] if isinstance(told, dict) and "error" in told else {}
            text = reason.get("message") if isinstance(reason, dict) else None
            self._fail(request_id, _INVALID, str(text or f"The server answered {status}."))

    def _post(self, message: dict[str, Any]) -> tuple[int, bytes]:
        headers = {"Accept": "application/json, text/event-stream"}
        if self._version:
            headers["MCP-Protocol-Version"] = self._version
        body = json.dumps(message).encode()
        for attempt in (1, 2):
            try:
                status, answer, kind = ask(
                    self._home, "POST", "/mcp", body, agent=self._agent, timeout=_ASK_SECONDS, headers=headers
                )
            except Away:
                if attempt == 2:
                    raise
                self._start()
                continue
            if status == 503 and attempt == 1:
                wait_until_ready(self._home, _START_SECONDS)
                continue
            return status, answer if "event-stream" not in kind else _last_event(answer)
        raise AssertionError("both attempts return or raise")

    def _start(self) -> None:
        with self._starting:
            if not wait_until_ready(self._home, 0):
                start(self._home)
                wait_until_ready(self._home, _START_SECONDS)

    def _fail(self, request_id: Any, code: int, text: str) -> None:
        if not isinstance(request_id, (str, int)):
            request_id = None
        self._write({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}})

    def _write(self, message: dict[str, Any]) -> None:
        with self._out:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()


def _last_event(stream: bytes) -> bytes:
    """The data of the last event: the answer; progress comes before it."""
    lines = [line[5:].strip() for line in stream.splitlines() if line.startswith(b"data:")]
    return lines[-1] if lines else b""


def main() -> None:
    """The process edge."""
    parser = argparse.ArgumentParser(prog="ultron-mcp", description="Ultron's tools over standard input.")
    parser.add_argument("--home", type=Path, default=default_home(), help="data folder (ULTRON_HOME)")
    parser.add_argument("--agent", help="agent that this client is")
    given = parser.parse_args()
    Bridge(given.home, given.agent).run()


if __name__ == "__main__":
    main()
