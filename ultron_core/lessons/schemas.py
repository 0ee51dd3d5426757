"""What a database holds, as it was shown after a query had failed: its tables and their columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ultron_core.lessons.describe import describe_failure
from ultron_core.lessons.evidence import appears_in
from ultron_core.lessons.explanations import talk_language
from ultron_core.lessons.sentences import PHRASES
from ultron_core.models import Evidence, MemoryDraft, Message
from ultron_core.transcript.actions import Action, argument_strings, first_line

__all__ = ["find_schemas"]

#: "DESC flights", "DESCRIBE `flights`;", "SHOW COLUMNS FROM flights", "PRAGMA table_info(flights)", "\d flights"
_COLUMNS_OF = re.compile(
    r"^\s*(?:desc(?:ribe)?|show (?:full )?(?:columns|fields) (?:from|in)|\\d\+?)\s+[`\"\[]?(?P<table>[\w.]+)[`\"\]]?"
    r"\s*;?\s*$"
    r"|^\s*pragma table_info\(\s*['\"`]?(?P<named>\w+)['\"`]?\s*\)\s*;?\s*$",
    re.IGNORECASE,
)
#: of a driver in Python, e.g. `('AirportCode', 'varchar(255)', 'NO')`
_ROW = re.compile(r"\(\s*'(?P<name>[A-Za-z_][\w ]{0,60})',\s*[b]?'(?P<type>[a-z]\w*)")
#: "(0, 'AirportCode', 'TEXT', 0, None, 1)" of sqlite
_SQLITE_ROW = re.compile(r"\(\s*\d+,\s*'(?P<name>[A-Za-z_]\w{0,60})',\s*'(?P<type>[A-Za-z]\w*)")
#: "| AirportCode | varchar(255) | NO |" of the command line
_CELLS = re.compile(r"^\|\s*(?P<name>[A-Za-z_]\w{0,60})\s*\|\s*(?P<type>[a-z]\w*)", re.MULTILINE)
#: headings of such a table
_HEADINGS = frozenset(("field", "column", "column_name"))
#: "Unknown column 'email' in 'field list'", "no such table: owner", "relation \"cars\" does not exist"
_UNKNOWN = re.compile(
    r"\bunknown (?:column|table)\b|\bno such (?:column|table)\b|\b(?:table|column|relation)\b.{1,80}"
    r"\b(?:doesn't|does not) exist\b|\binvalid (?:column|object) name\b",
    re.IGNORECASE,
)
#: the database before the table in a server's message, or in the command that chose it: "Table 'world_1.countries'
#: doesn't exist", "USE car_1;"
_NAMED = re.compile(
    r"\b[Tt]able '(\w+)\.\w+' doesn't exist|^[^\S\n]*use\s+[`\"]?(\w+)[`\"]?(?:\s*;)?[^\S\n]*$",
    re.MULTILINE | re.IGNORECASE,
)
#: "SHOW TABLES", "\\dt", ".tables"
_ALL_TABLES = re.compile(r"^\s*(?:show (?:full )?tables|\\dt\+?|\.tables)\s*;?\s*$", re.IGNORECASE)
#: a row of their list as a driver in Python shows it, e.g. `('stadium',)`
_LISTED = re.compile(r"\('(\w+)',\)")
#: characters of an output in which names are looked for, and tables that are listed beside the described ones
_MAX_SHOWN, _MOST_OTHERS = 4_000, 12
#: columns that are listed of a table, and tables of one memory
_MOST_COLUMNS, _MOST_TABLES = 24, 6
#: characters; more tables are left out
_MAX_CONTENT = 600


def find_schemas(messages: Sequence[Message], actions: Sequence[Action]) -> list[MemoryDraft]:
    """One draft with the tables whose columns were asked for, when a query of the same tool failed on a name."""
    failed = next((a for a in actions if a.failure is not None and _UNKNOWN.search(a.failure.line)), None)
    if failed is None or failed.failure is None:
        return []
    tables: dict[str, tuple[Action, list[str]]] = {}
    for action in actions:
        table = _asked(action) if action.tool == failed.tool else ""
        columns = list(_columns(action.output)) if table and action.failure is None else []
        if len(columns) >= 2:
            tables.setdefault(table, (action, columns))
    line = failed.failure.line
    evidence = [Evidence(messages[failed.result].start_line, messages[failed.result].end_line, line)]
    evidence += [
        Evidence(messages[action.result].start_line, messages[action.result].end_line, quote)
        for action, _ in list(tables.values())[:_MOST_TABLES]
        if appears_in(quote := first_line(action.output)[:300].strip(), messages[action.result])
    ]
    if len(evidence) < 2:
        return []
    lang = talk_language(messages, failed.result)
    words = PHRASES[lang]
    told = [f"`{name}` ({', '.join(columns[:_MOST_COLUMNS])})" for name, (_, columns) in tables.items()]
    database = _database(actions)
    sentence = words["schema_of" if database else "schema"]
    content = sentence.format(database=database, tables=told[0])
    for count in range(2, min(len(told), _MOST_TABLES) + 1):
        longer = sentence.format(database=database, tables="; ".join(told[:count]))
        if len(longer) > _MAX_CONTENT:
            break
        content = longer
    others = [name for name in _tables(actions) if name not in tables]
    if others:
        listed = ", ".join(f"`{name}`" for name in others[:_MOST_OTHERS])
        content = " ".join((content, words["other_tables"].format(tables=listed)))
    return [
        MemoryDraft(
            content=content,
            context=describe_failure(messages, failed, lang, ""),
            tags=("database", "schema"),
            confidence=0.65,
            memory_type="pattern",
            evidence=tuple(evidence),
        )
    ]


def _database(actions: Sequence[Action]) -> str:
    """The name of the database where a message of its server or a command tells it; empty when two are told."""
    found = {
        name
        for a in actions
        for text in (a.output[:_MAX_SHOWN], a.text[:200])
        for name in _NAMED.findall(text)
    }
    names = {name for pair in found for name in pair if name}
    return names.pop() if len(names) == 1 else ""


def _tables(actions: Sequence[Action]) -> list[str]:
    """All tables, as the database listed them."""
    for action in actions:
        asked = next((text for text in argument_strings(action.arguments) if len(text) <= 200), "")
        if action.failure is None and _ALL_TABLES.match(asked):
            return _LISTED.findall(action.output[:_MAX_SHOWN])
    return []


def _asked(action: Action) -> str:
    """The table whose columns a call asks for, or nothing."""
    texts = [text for text in argument_strings(action.arguments) if len(text) <= 200]
    for text in texts:
        found = _COLUMNS_OF.match(text)
        if found:
            return str(found["table"] or found["named"])
    return ""


def _columns(output: str) -> Iterator[str]:
    for pattern in (_ROW, _SQLITE_ROW, _CELLS):
        names = [m["name"] for m in pattern.finditer(output) if m["name"].lower() not in _HEADINGS]
        if names:
            yield from dict.fromkeys(names)
            return
