"""Tables and columns that a failed query made the agent look up."""

from tests.core.lessons.builders import talk
from ultron_core.lessons.schemas import find_schemas
from ultron_core.transcript.actions import read_actions

UNKNOWN = "Error executing query: Unknown column 'email' in 'field list'"
ROWS = "[('owner_id', 'int', 'NO'), ('Name', 'text', 'YES'), ('email_address', 'text', 'YES')]"


def schemas(*turns):
    messages = talk(("user", "Who owns the dog?"), *turns)
    return find_schemas(messages, read_actions(messages))


def query(text, output):
    return (("execute_sql", {"query": text}), output)


def test_columns_that_were_looked_up_after_a_wrong_name():
    (draft,) = schemas(query("SELECT email FROM owners", UNKNOWN), query("DESC owners", ROWS))
    assert draft.content == (
        "A database of this task holds, among others: `owners` (owner_id, Name, email_address)."
    )
    assert draft.context == f"`execute_sql` failed: {UNKNOWN}"
    assert [item.start_line for item in draft.evidence] == [3, 5]


def test_other_ways_to_ask():
    sqlite = "[(0, 'id', 'INTEGER', 0, None, 1), (1, 'name', 'TEXT', 0, None, 0)]"
    table = "| Field | Type |\n| id | int |\n| name | text |"
    for ask, output in (("PRAGMA table_info(pets)", sqlite), ("SHOW COLUMNS FROM pets;", table)):
        (draft,) = schemas(query("SELECT x FROM pets", "Error: no such column: x"), query(ask, output))
        assert draft.content.endswith("`pets` (id, name).")


def test_the_database_is_named_where_its_server_names_it_with_its_other_tables():
    (draft,) = schemas(
        query("SELECT email FROM owner", "Error executing query: Table 'dog_kennels.owner' doesn't exist"),
        query("SHOW TABLES", "[('dogs',), ('owners',), ('breeds',)]"),
        query("DESC owners", ROWS),
    )
    assert draft.content == (
        "The database `dog_kennels` holds, among others: `owners` (owner_id, Name, email_address). "
        "It also has the tables `dogs`, `breeds`."
    )


def test_nothing_to_tell_when_no_name_was_wrong():
    assert schemas(query("DESC owners", ROWS), query("SELECT Name FROM owners", "[('Ann',)]")) == []
    assert schemas(query("SELECT email FROM owners", UNKNOWN)) == []
