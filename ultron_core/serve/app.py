"""The application: guards, JSON routes, MCP and pages around one backend.

    app = make_app(Backend(lambda: Ultron(settings)))

Any process can mount it; `serve/run.py` is the one behind `ultron serve`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import anyio.to_thread
from fastapi import FastAPI
from starlette.routing import Route

from ultron_core.serve.answers import add_handlers
from ultron_core.serve.backend import Backend
from ultron_core.serve.guards import Guards
from ultron_core.serve.mcp import McpEndpoint
from ultron_core.serve.routes import ingest, memories, sessions, system
from ultron_core.version import __version__

__all__ = ["make_app"]

#: calls of the library at a time: more would wait for one of the pool's connections
_THREADS = 8


def make_app(backend: Backend, *, threads: int = _THREADS) -> FastAPI:
    """An ASGI application; whoever runs it calls `backend.load_in_background()` before and `backend.close()` after."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = threads
        async with mcp.running():
            yield

    mcp = McpEndpoint(backend)
    app = FastAPI(title="Ultron", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.backend = backend
    add_handlers(app)
    # the paths of words before those of an id
    for router in (system.router, ingest.router, memories.router, sessions.router):
        app.include_router(router)
    app.router.routes.append(Route("/mcp", mcp, methods=["POST"], include_in_schema=False))
    app.add_middleware(Guards, hosts=backend.hosts, on_request=backend.note_request)
    return app
