"""What coding agents start: hooks and a bridge to the server. Standard library only, as each start is waited for.

hook    `ultron-hook session-start | prompt | turn-end | session-end`
mcp     `ultron-mcp`: JSON-RPC on standard input to the server's `/mcp`
server  where the server of a home is, how it is asked and started
"""
