"""Raw connections that cost a server memory or its places, most of them without a key: it stays small, and answers."""

import contextlib
import resource
import select
import socket
import time
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from tests.core.serve.running import make_running
from ultron_core.serve.edge.protocol import most_connections

LARGE = 10_000_000
#: of a well-formed key that nobody has
STRANGE = "ult_0a1b2c3d4e5f_" + "a" * 43


@pytest.fixture(scope="module")
def running(server_url, tmp_path_factory):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))  # the usual limit, for the server
    for server in make_running(server_url, tmp_path_factory.mktemp("flood")):
        server.start()
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(8192, hard), hard))
        server.ask("POST", "/memories/upload", json={"content": "The first upload loads what uploads need."})
        yield server
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def connect(running):
    where = urlsplit(running.address)
    with contextlib.ExitStack() as opened:

        def open_one(text=b""):
            sock = opened.enter_context(socket.create_connection((where.hostname, where.port), 10))
            sock.sendall(text)
            return sock

        yield open_one


def head(running, key, length=LARGE, path="/ingest/session?agent_id=eve&name=a.jsonl"):
    shown = f"Authorization: Bearer {key}\r\n" if key else ""
    return (
        f"POST {path} HTTP/1.1\r\nHost: {urlsplit(running.address).netloc}\r\n{shown}"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def megabytes(running):
    return psutil.Process(running.process.pid).memory_info().rss / 2**20


def push(left, seconds=5):
    """Send what is left of so many bytes to each socket, as much as it takes."""
    for sock in left:
        sock.setblocking(False)
    until = time.monotonic() + seconds
    while left and time.monotonic() < until:
        for sock in select.select([], list(left), [], 0.2)[1]:
            try:
                left[sock] -= sock.send(b"x" * min(left[sock], 65_536))
            except OSError:  # it was closed
                left[sock] = 0
            if not left[sock]:
                del left[sock]


def answer(sock, seconds=10):
    sock.settimeout(seconds)
    text = b""
    with contextlib.suppress(ConnectionResetError):
        while part := sock.recv(65_536):
            text += part
    return text


def health(running):
    began = time.monotonic()
    assert httpx.get(f"{running.address}/health", timeout=5).json()["data"]["status"] == "ready"
    return time.monotonic() - began


@pytest.mark.parametrize("key", [None, "x", STRANGE], ids=["none", "malformed", "unknown"])
@pytest.mark.parametrize(
    "path", ["/memories/search", "/ingest/session?agent_id=e&name=a.jsonl", "/mcp", "/nothing"]
)
def test_who_has_no_key_is_refused_before_the_body_and_let_go(running, connect, key, path):
    sock = connect(head(running, key, path=path))
    text = answer(sock, 5)
    assert text.startswith(b"HTTP/1.1 401 ") and b"connection: close" in text.lower()
    assert b'"unauthorized"' in text


def test_a_form_of_nobody_is_small(running, connect):
    text = answer(
        connect(head(running, None, path="/ui/sign-in").replace(b"json", b"x-www-form-urlencoded")), 5
    )
    assert text.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("key", [None, STRANGE], ids=["none", "unknown"])
def test_120_unfinished_requests_without_a_key_cost_no_memory(running, connect, key):
    push(
        dict.fromkeys([connect(head(running, key)) for _ in range(120)], LARGE - 1)
    )  # loads what answers need
    before = most = megabytes(running)
    socks = [connect(head(running, key)) for _ in range(120)]
    push(dict.fromkeys(socks, LARGE - 1))
    for _ in range(20):
        most = max(most, megabytes(running))
        time.sleep(0.05)
    assert health(running) < 2
    print(f"{before:.0f} MB, then {most:.0f}")
    assert most - before < 50
    assert all(sock.fileno() > 0 and closed(sock) for sock in socks)


def closed(sock):
    with contextlib.suppress(TimeoutError):
        answer(sock, 1)
        return True
    return False


def test_120_unfinished_requests_with_a_key_are_read_a_few_at_a_time(running, connect):
    before = most = megabytes(running)
    socks = [connect(head(running, running.key)) for _ in range(120)]
    left = dict.fromkeys(socks, LARGE - 1)
    for _ in range(10):
        push(left, 0.5)
        most = max(most, megabytes(running))
        assert health(running) < 2
    assert running.ask("POST", "/memories/search", json={"query": "upload"}).status_code == 200
    print(f"{before:.0f} MB, then {most:.0f}")
    assert most - before < 100
    texts = [answer(sock, 60) for sock in socks]
    assert {text[:13] for text in texts} <= {b"HTTP/1.1 503 ", b"HTTP/1.1 408 ", b""}


@pytest.mark.parametrize(
    "text", [b"", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: b"], ids=["empty", "half"]
)
def test_1100_heads_that_never_end_leave_room_and_are_closed_in_time(running, connect, text):
    socks = []
    for number in range(1_100):
        socks.append(connect(text))
        if number % 100 == 99:
            assert health(running) < 2
    assert len(psutil.Process(running.process.pid).net_connections("tcp")) < most_connections() + 50
    began = time.monotonic()
    assert health(running) < 2
    assert all(closed_within(sock, began + 15) for sock in socks)
    assert running.ask("GET", "/stats").status_code == 200


def closed_within(sock, until):
    sock.settimeout(max(0.1, until - time.monotonic()))
    with contextlib.suppress(ConnectionResetError):
        return sock.recv(1) == b""
    return True


def test_a_head_that_drips_is_closed_in_time(running, connect):
    sock = connect(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    began = time.monotonic()
    with contextlib.suppress(OSError):
        while time.monotonic() - began < 20:
            sock.sendall(b"X-A: b\r\n")
            time.sleep(0.5)
    assert 5 < time.monotonic() - began < 15


def test_a_body_that_drips_is_refused(running, connect):
    sock = connect(head(running, running.key, length=1_000))
    sock.settimeout(0.5)
    began, text = time.monotonic(), b""
    while not text and time.monotonic() - began < 40:
        sock.sendall(b" ")
        with contextlib.suppress(TimeoutError):
            text = sock.recv(1_000)
    assert text.startswith(b"HTTP/1.1 408 ") and time.monotonic() - began < 25


def test_a_head_of_any_length_is_refused(running, connect):
    sock = connect(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ")
    before = megabytes(running)
    push({sock: LARGE})
    assert answer(sock, 5)[:13] in (b"HTTP/1.1 400 ", b"")
    assert megabytes(running) - before < 20


def test_a_whole_body_with_a_key_still_arrives(running):
    line = b'{"role": "user", "content": "please run the tests"}\n'
    body = line * (9_900_000 // len(line))
    sent = running.ask("POST", "/ingest/session?agent_id=eve&name=large.jsonl", content=body)
    assert sent.status_code == 200, sent.text
    in_parts = running.ask("POST", "/ingest/session?agent_id=eve&name=p.jsonl", content=iter([line] * 3))
    assert in_parts.json()["data"]["messages"] == 3
    too_long = running.ask("POST", "/ingest/session?agent_id=eve&name=q.jsonl", content=iter([body] * 2))
    assert too_long.status_code == 413
