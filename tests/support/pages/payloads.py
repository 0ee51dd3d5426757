"""Fifteen texts that would run as a script on a careless page, and how they get into every stored text."""

from psycopg import Error, sql
from psycopg.types.json import Jsonb

#: each sets the title or opens a dialog where it runs
PAYLOADS = (
    "<script>document.title='pwned'</script>",
    '"><script>alert(1)</script>',
    "'><script>alert(2)</script>",
    "<img src=x onerror=alert(3)>",
    '<svg onload="alert(4)">',
    "<svg><script>alert(5)</script></svg>",
    '" autofocus onfocus="alert(6)" x="',
    "' autofocus onfocus='alert(7)' x='",
    "</textarea><script>alert(8)</script>",
    "</title><script>alert(9)</script>",
    "javascript:alert(10)",
    "<iframe srcdoc=\"<script>parent.document.title='pwned'</script>\"></iframe>",
    "{{ ''.__class__ }}{% include 'keys.html' %}",
    "<math><mtext><style><img src=x onerror=alert(11)></style></mtext></math>",
    "<a href=javascript:alert(12)>x</a><meta http-equiv=refresh content='0;url=javascript:alert(13)'>",
)
ALL = " ".join(PAYLOADS)
_COLUMNS = (
    "SELECT c.table_name, c.column_name, c.udt_name FROM information_schema.columns c"
    " JOIN information_schema.tables t USING (table_schema, table_name)"
    " WHERE c.table_schema = 'ultron' AND t.table_type = 'BASE TABLE' AND c.is_generated = 'NEVER'"
    " AND c.udt_name IN ('text', 'jsonb', '_text') AND c.table_name <> 'schema_migrations' ORDER BY 1, 2"
)
#: names that link rows to each other, or that a check allows a few values of
NEVER = {"account_id", "id", "hash", "scopes"}
#: what must have been planted: else the pages show nothing to be afraid of
SHOWN = {
    *(f"memories.{name}" for name in ("content", "context", "resolution", "tags", "summary_l0", "extractor")),
    *(f"memory_versions.{name}" for name in ("content", "context", "resolution", "tags", "changed_by")),
    *("memory_sources.quote", "memory_sources.agent_id", "memory_sources.project"),
    *("merge_decisions.reason", "merge_decisions.decided_by"),
    *(f"messages.{name}" for name in ("content", "name", "tool_calls", "thread")),
    *(f"sessions.{name}" for name in ("agent_id", "session_file", "project", "harness", "model", "format")),
    *("task_segments.topic", "task_segments.thread", "task_segments.quality_metrics"),
    *("drops.reason", "drops.detail", "drops.payload", "drops.stage"),
    *("clusters.topic", "llm_calls.stage", "llm_calls.model", "api_keys.name", "api_keys.agent_id"),
}


def plant(database):
    """Put all payloads before what stands in every text column that takes them; returns `table.column` of those."""
    planted = set()
    with database.direct() as conn:
        for column in conn.execute(_COLUMNS).fetchall():
            table, name = column["table_name"], column["column_name"]
            if name in NEVER:
                continue
            try:
                with conn.transaction():
                    if _plant_column(conn, table, name, column["udt_name"]):
                        planted.add(f"{table}.{name}")
            except Error:
                continue  # a column that links rows, or one of a few allowed words
    return planted


def _plant_column(conn, table, name, kind):
    place = {"table": sql.Identifier("ultron", table), "name": sql.Identifier(name)}
    if kind == "jsonb":
        found = sql.SQL("SELECT ctid, {name} AS value FROM {table} WHERE {name} IS NOT NULL").format(**place)
        update = sql.SQL("UPDATE {table} SET {name} = %s WHERE ctid = %s").format(**place)
        rows = conn.execute(found).fetchall()
        for row in rows:
            conn.execute(update, [Jsonb(_with_payloads(row["value"])), row["ctid"]])
        return len(rows)
    if kind == "_text":
        longer = "UPDATE {table} SET {name} = {all} || {name} WHERE cardinality({name}) > 0"
        place["all"] = sql.Literal(list(PAYLOADS))
    else:
        longer = "UPDATE {table} SET {name} = {all} || ' ' || {name} WHERE {name} IS NOT NULL"
        place["all"] = sql.Literal(ALL)
    return conn.execute(sql.SQL(longer).format(**place)).rowcount


def _with_payloads(value):
    """Every text within, with the payloads before it."""
    if isinstance(value, dict):
        return {name: _with_payloads(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_with_payloads(one) for one in value]
    return f"{ALL} {value}" if isinstance(value, str) else value
