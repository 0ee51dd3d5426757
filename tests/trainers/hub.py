"""A dataset hub on this machine: as much of the Hugging Face Hub's HTTP interface as a folder needs."""

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

#: what may write; anything else is refused as the hub refuses it
TOKEN = "hf_" + "stub" * 6


class Hub(ThreadingHTTPServer):
    """One dataset, `team/lessons`: its files and the names of the files of each commit."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.files: dict[str, bytes] = {}
        self.commits: list[list[str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def head(self) -> str:
        """The last commit, as a hash."""
        return sha1(str(len(self.commits)).encode()).hexdigest()


class _Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if path.startswith("/datasets/team/lessons/resolve/"):
            self._file(path.split("/", 6)[6])
        elif path.startswith("/api/datasets/team/lessons/tree/"):
            self._tree("/".join(path.split("/")[7:]))
        elif path.startswith("/api/datasets/team/lessons"):
            siblings = [{"rfilename": name} for name in self.server.files]
            self._json(
                200, {"id": "team/lessons", "sha": self.server.head, "private": True, "siblings": siblings}
            )
        else:
            self._json(404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        path = urlsplit(self.path).path
        if "/paths-info/" in path:
            names = json.loads(body)["paths"]
            return self._json(200, [entry for name in names for entry in self._entry(name)])
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self._json(401, {"error": "Invalid username or password."})
        if "/preupload/" in path:
            files = [
                {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                for file in json.loads(body)["files"]
            ]
            return self._json(200, {"files": files})
        if "/commit/" in path:
            return self._commit(body)
        return self._json(200, {"errors": [], "warnings": []})

    def _commit(self, body: bytes) -> None:
        lines = [json.loads(line) for line in body.splitlines() if line]
        added = [line["value"] for line in lines if line["key"] == "file"]
        self.server.files |= {file["path"]: base64.b64decode(file["content"]) for file in added}
        self.server.commits.append([file["path"] for file in added])
        head = self.server.head
        url = f"{self.server.url}/datasets/team/lessons/commit/{head}"
        self._json(200, {"commitUrl": url, "commitOid": head, "success": True})

    def _entry(self, name: str) -> Iterator[dict[str, object]]:
        if name in self.server.files:
            raw = self.server.files[name]
            yield {"type": "file", "path": name, "size": len(raw), "oid": sha1(raw).hexdigest()}
        elif any(known.startswith(f"{name}/") for known in self.server.files):
            yield {"type": "directory", "path": name, "oid": sha1(name.encode()).hexdigest()}

    def _tree(self, folder: str) -> None:
        inside = f"{folder}/" if folder else ""
        names = [name for name in self.server.files if name.startswith(inside)]
        if folder and not names:
            return self._json(404, {"error": "not found"}, {"X-Error-Code": "EntryNotFound"})
        recursive = "recursive=true" in self.path.lower()
        parts = {name if recursive else inside + name.removeprefix(inside).split("/")[0] for name in names}
        return self._json(200, [entry for name in sorted(parts) for entry in self._entry(name)])

    def _file(self, name: str) -> None:
        if name not in self.server.files:
            return self._json(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound"})
        raw = self.server.files[name]
        return self._send(200, raw, {"ETag": f'"{sha1(raw).hexdigest()}"', "X-Repo-Commit": self.server.head})

    def _json(self, status: int, answer: object, headers: dict[str, str] | None = None) -> None:
        self._send(
            status, json.dumps(answer).encode(), {"Content-Type": "application/json", **(headers or {})}
        )

    def _send(self, status: int, raw: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def running() -> Iterator[Hub]:
    """The hub on a free port until the block ends."""
    with Hub() as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        yield hub
        hub.shutdown()
