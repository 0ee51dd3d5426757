"""Rows -> a parsed session, and what is compared of it."""

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
