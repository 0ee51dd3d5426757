"""One resident process for programs, coding agents and people: HTTP, MCP, pages, and the worker behind them.

app        the application, that any process can mount: `make_app(Backend(...))`
backend    the one `Ultron` of the process, while it loads and after
callers    who asks, and what the key allows
guards     what is refused before anybody is asked: foreign hosts and sites, large bodies, wrong kinds
routes/    the JSON routes, by what they are about
mcp        the tools of coding agents
worker     takes up what an ingest left to do
"""
