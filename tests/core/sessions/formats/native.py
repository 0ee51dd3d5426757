"""Rows of native logs, and what a parsed session says in short, for the tests of formats."""

import json

from ultron_core.sessions import parse_session


def parse(*rows):
    session = parse_session("\n".join(json.dumps(r) for r in rows).encode())
    assert session.ledger.balanced
    return session


def brief(session):
    return [(m.role, m.origin, m.content) for m in session.messages]


def calls(session):
    return [(c.id, c.name, c.arguments) for m in session.messages for c in m.tool_calls]


def item(**payload):
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}


def pi(own, parent, **message):
    stamp = "2026-01-01T00:00:00Z"
    return {"type": "message", "id": own, "parentId": parent, "timestamp": stamp, "message": message}
