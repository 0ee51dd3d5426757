"""Dagster's webserver under `ultron dev`, which answers this machine's own pages alone.

Dagster's GraphQL asks for no key and takes any Host: a page of another site whose name leads to 127.0.0.1 could read
all that Dagster shows, and start runs.
"""

import argparse
import ipaddress
import socket
import sys
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import click
from dagster_webserver import app, cli
from dagster_webserver.webserver import DagsterWebserver
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Receive, Scope, Send

from ultron_core.serve.guards import site_refusal

__all__ = ["Names", "OwnSite", "main"]


class OwnSite:
    """ASGI middleware: requests and web sockets of other host names and other sites' pages are refused."""

    def __init__(self, app: ASGIApp, hosts: Container[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refused = site_refusal(scope.get("method", "GET"), Headers(scope=scope), self._hosts)
        if refused is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await refused(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})


@dataclass(frozen=True, slots=True)
class Names:
    """Under which host names, beside this machine's own, the page is asked for when it listens at `host`. Where that is
    every address, the page may be at any of them and at the machine's name: no site of another can have an address as
    its name."""

    host: str

    def __contains__(self, name: object) -> bool:
        listens = _address(self.host)
        if listens is None or not listens.is_unspecified:
            return name == self.host.casefold()
        return name == socket.gethostname().casefold() or _address(str(name)) is not None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def main() -> None:
    """Takes the arguments of `dagster-webserver`."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--host", default=cli.DEFAULT_WEBSERVER_HOST)
    hosts = Names(parser.parse_known_args()[0].host)

    class Guarded(DagsterWebserver[Any, Any]):
        """Dagster's own, but for whom it answers."""

        def build_middleware(self) -> list[Middleware]:
            return [Middleware(OwnSite, hosts=hosts), *super().build_middleware()]

    app.DagsterWebserver = Guarded  # type: ignore[attr-defined]
    serve: click.Command = cli.cli
    serve.main(prog_name="dagster-webserver", args=sys.argv[1:])


if __name__ == "__main__":
    main()
