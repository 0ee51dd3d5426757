"""Dagster's page under `ultron dev` answers this machine's own pages, and no other name that leads here."""

import os
import socket
import subprocess
import sys
import time

import httpx
import pytest

from ultron_pipelines.host.webserver import Names

QUERY = {"query": "{version}"}
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "graphql-ws",
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Dagster's webserver without definitions, as `ultron dev` starts it."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    home = tmp_path_factory.mktemp("dagster")
    (home / "dagster.yaml").write_text("telemetry:\n  enabled: false\n")
    command = [
        sys.executable,
        "-m",
        "ultron_pipelines.host.webserver",
        "--empty-workspace",
        "--port",
        str(port),
    ]
    process = subprocess.Popen(command, env={**os.environ, "DAGSTER_HOME": str(home)})
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(address)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def wait_for(address):
    until = time.monotonic() + 90
    while True:
        try:
            return httpx.get(f"{address}/server_info")
        except httpx.TransportError:
            assert time.monotonic() < until, "the webserver did not start"
            time.sleep(0.2)


def test_its_own_pages_are_answered(address):
    host = address.removeprefix("http://")
    for name in (host, host.replace("127.0.0.1", "localhost"), "localhost:4000"):
        headers = {"Host": name, "Origin": f"http://{name}"}
        assert httpx.post(f"{address}/graphql", json=QUERY, headers=headers).json()["data"]["version"]
        page = httpx.get(address, headers=headers)
        assert page.status_code == 200 and "<html" in page.text
    assert status_of_socket(address, host) == 101


@pytest.mark.parametrize(
    "name", ["evil.example", "127.0.0.1.evil.example", "localhost:3000, evil", "evil@localhost"]
)
def test_another_host_name_is_refused(address, name):
    assert httpx.post(f"{address}/graphql", json=QUERY, headers={"Host": name}).status_code == 421
    assert httpx.get(address, headers={"Host": name}).status_code == 421
    assert status_of_socket(address, name) == 403


def test_another_sites_page_is_refused(address):
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert httpx.post(f"{address}/graphql", json=QUERY, headers=headers).status_code == 403
    assert status_of_socket(address, address.removeprefix("http://"), "http://evil.example") == 403


def status_of_socket(address, host, origin=None):
    """What an attempt to open a web socket is answered."""
    headers = {**UPGRADE, "Host": host, "Origin": origin or f"http://{host}"}
    with httpx.stream("GET", f"{address}/graphql", headers=headers) as answer:
        return answer.status_code


@pytest.mark.parametrize(
    ("host", "name", "known"),
    [
        ("127.0.0.1", "evil.example", False),
        ("Box.example", "box.example", True),
        ("Box.example", "10.0.0.5", False),
        ("10.0.0.5", "10.0.0.5", True),
        ("0.0.0.0", "10.0.0.5", True),
        ("::", "fd00::1", True),
        ("0.0.0.0", socket.gethostname().casefold(), True),
        ("0.0.0.0", "evil.example", False),
    ],
)
def test_under_which_names_it_is_asked_for(host, name, known):
    assert (name in Names(host)) is known
