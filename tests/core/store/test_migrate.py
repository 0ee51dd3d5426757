from concurrent.futures import ThreadPoolExecutor

import pytest

from ultron_core.errors import MigrationError
from ultron_core.store.database import Database
from ultron_core.store.migrate import migrate, read_migrations


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "0001_things.sql").write_text("CREATE TABLE things (id int, v vector(2));")
    (tmp_path / "0002_more.sql").write_text("ALTER TABLE things ADD COLUMN name text;")
    return tmp_path


@pytest.fixture
def empty(new_database):
    with Database.open(new_database()) as database:
        yield database


def test_a_long_migration_is_a_folder_of_parts(empty, folder):
    parts = folder / "0003_parts"
    parts.mkdir()
    (parts / "2_row.sql").write_text("INSERT INTO parts VALUES (1);\n")
    (parts / "1_table.sql").write_text("CREATE TABLE parts (id int);\n")
    assert migrate(empty, folder)[-1] == "0003_parts"
    assert (
        read_migrations(folder)[-1].text == "CREATE TABLE parts (id int);\n\nINSERT INTO parts VALUES (1);\n"
    )


def test_missing_migrations_are_applied_once_in_order(empty, folder):
    assert migrate(empty, folder) == ["0001_things", "0002_more"]
    assert migrate(empty, folder) == []
    with empty.transaction() as conn:
        conn.execute("INSERT INTO ultron.things VALUES (1, '[1,2]', 'x')")
        assert conn.execute("SELECT v FROM things").fetchone()["v"].to_list() == [1, 2]


def test_a_failing_migration_leaves_no_trace(empty, folder):
    (folder / "0003_bad.sql").write_text("CREATE TABLE half (id int); SELECT nonsense;")
    with pytest.raises(MigrationError, match="0003_bad failed"):
        migrate(empty, folder)
    with empty.connection() as conn:
        assert conn.execute("SELECT to_regclass('half') AS t").fetchone()["t"] is None
    (folder / "0003_bad.sql").write_text("CREATE TABLE half (id int);")
    assert migrate(empty, folder) == ["0003_bad"]


def test_a_changed_or_unknown_migration_is_refused(empty, folder):
    migrate(empty, folder)
    text = (folder / "0002_more.sql").read_text()
    (folder / "0002_more.sql").write_text(text + " ")
    with pytest.raises(MigrationError, match="0002_more was changed"):
        migrate(empty, folder)
    (folder / "0002_more.sql").unlink()
    with pytest.raises(MigrationError, match="newer"):
        migrate(empty, folder)


def test_many_at_once_apply_each_migration_once(empty, folder):
    with ThreadPoolExecutor(4) as pool:
        applied = list(pool.map(lambda _: migrate(empty, folder), range(4)))
    assert sorted(map(len, applied)) == [0, 0, 0, 2]


def test_numbers_have_no_gap(folder):
    (folder / "0004_gap.sql").write_text("SELECT 1;")
    with pytest.raises(MigrationError, match="without a gap"):
        read_migrations(folder)
