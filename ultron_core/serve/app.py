"""The application: guards, JSON routes, MCP and pages around one backend.

    app = make_app(Backend(lambda: Ultron(settings)))

Any process can mount it; `serve/run.py` is the one behind `ultron serve`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from ultron_core.serve.answers import add_handlers
from ultron_core.serve.backend import Backend
from ultron_core.serve.edge.admission import Admission
from ultron_core.serve.guards import Guards
from ultron_core.serve.mcp import McpEndpoint
from ultron_core.serve.pages.views import clusters, entry, keys, log, overview
from ultron_core.serve.pages.views import memories as memories_page
from ultron_core.serve.pages.views import memory as memory_page
from ultron_core.serve.pages.views.entry import problem_page
from ultron_core.serve.pages.visitors import PageSessions
from ultron_core.serve.routes import ingest, memories, sessions, system
from ultron_core.version import __version__

__all__ = ["make_app"]

#: calls of the library at a time: more would wait for one of the pool's connections
_THREADS = 8


async def _to_pages(_: Request) -> Response:
    return RedirectResponse("/ui", 303)


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
    app.state.page_sessions = PageSessions()
    add_handlers(app, {"/ui": problem_page})
    # the paths of words before those of an id
    for router in (system.open_router, system.router, ingest.router, memories.router, sessions.router):
        app.include_router(router)
    for pages in (entry, memories_page, memory_page, log, clusters, overview, keys):
        app.include_router(pages.router)
    app.mount("/ui/static", StaticFiles(packages=[("ultron_core.serve.pages", "static")]))
    app.router.routes.append(Route("/mcp", mcp, methods=["POST"], include_in_schema=False))
    app.router.routes.append(Route("/", _to_pages, include_in_schema=False))
    app.add_middleware(Admission, backend=backend, sessions=app.state.page_sessions)
    app.add_middleware(Guards, hosts=backend.hosts, on_request=backend.note_request)
    return app
