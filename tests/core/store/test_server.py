import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from tests.support.watched import Watched
from ultron_core.errors import ServerStartError
from ultron_core.store.server import EmbeddedServer
from ultron_core.store.server.place import SYSTEM_DIR, choose_place, make_socket_dir, private_name
from ultron_core.store.server.process import is_postgres

ROOT = Path(__file__).parents[3]
CLIENT = """
import json, os, sys
from pathlib import Path
from ultron_core.store.server import EmbeddedServer
server = EmbeddedServer.open(Path(sys.argv[1]))
pid = int((server._place.data_dir / "postmaster.pid").read_text().split()[0])
print(json.dumps({"pid": pid, "url": server.url(), **server.describe()}), flush=True)
sys.stdin.readline()
server.close()
"""

ASKS = """
import sys, time, psycopg
for _ in range(100):
    with psycopg.connect(sys.argv[1]) as conn:
        try:
            conn.execute(sys.argv[2])
        except psycopg.errors.UndefinedFunction:
            time.sleep(0.1)
"""


@pytest.fixture
def home():
    """A home with a space, in a folder that the account of the server can get into also for root."""
    folder = Path(tempfile.mkdtemp(prefix="ultron test "))
    folder.chmod(0o755)
    yield folder / "my home"
    shutil.rmtree(folder, ignore_errors=True)


def postmaster(server):
    return int((server._place.data_dir / "postmaster.pid").read_text().split()[0])


def client(home, **options):
    return subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(home)],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        **options,
    )


def ask(url, query):
    with psycopg.connect(url, autocommit=True) as conn:
        return conn.execute(query).fetchone()[0]


def test_the_last_user_stops_the_server(home):
    first = EmbeddedServer.open(home)
    second = EmbeddedServer.open(home)
    pid = postmaster(first)
    assert postmaster(second) == pid
    first.close()
    first.close()
    assert ask(second.url(), "SELECT current_database()") == "ultron"
    second.close()
    assert not is_postgres(pid, first._place.data_dir)


def test_it_is_private_and_set_up_as_documented(home):
    with EmbeddedServer.open(home) as server:
        places = server.describe()
        data, socket = Path(places["data"]), Path(places["socket"])
        assert data.stat().st_mode & 0o777 == 0o700
        assert socket.stat().st_mode & 0o777 == 0o700
        assert make_url(server.url()).query["host"] == str(socket)
        expected = {
            "listen_addresses": "",
            "jit": "off",
            "max_parallel_workers_per_gather": "0",
            "random_page_cost": "1.1",
            "TimeZone": "UTC",
            "server_encoding": "UTF8",
            "fsync": "on",
        }
        assert {name: ask(server.url(), f"SHOW {name}") for name in expected} == expected
        assert Path(places["log"]).exists() and Path(places["binaries"], "postgres").exists()


def test_a_killed_server_and_a_foreign_process_id_are_recovered_from(home):
    server = EmbeddedServer.open(home)
    with psycopg.connect(server.url(), autocommit=True) as conn:
        conn.execute("CREATE TABLE kept AS SELECT 7 AS n")
    os.kill(postmaster(server), signal.SIGKILL)
    again = EmbeddedServer.open(home)
    assert ask(again.url(), "SELECT n FROM kept") == 7
    os.kill(postmaster(again), signal.SIGKILL)
    time.sleep(0.3)
    pid_file = again._place.data_dir / "postmaster.pid"
    pid_file.write_text("\n".join([str(os.getpid()), *pid_file.read_text().splitlines()[1:]]) + "\n")
    third = EmbeddedServer.open(home)
    assert ask(third.url(), "SELECT n FROM kept") == 7
    for one in (server, again, third):
        one.close()


def test_a_killed_server_is_started_again_at_its_address_for_who_holds_it(home, monkeypatch):
    with EmbeddedServer.open(home) as server:
        url, first = server.url(), postmaster(server)
        assert not server.revive()
        os.kill(first, signal.SIGKILL)
        monkeypatch.setattr(tempfile, "gettempdir", lambda: "/var/tmp")  # of another program
        assert server.revive()
        assert (server.url(), ask(server.url(), "SELECT 1")) == (url, 1)
        assert postmaster(server) != first


def test_a_long_statement_of_a_killed_server_does_not_hold_up_the_next_one(home):
    with EmbeddedServer.open(home) as server:
        asked = subprocess.Popen([sys.executable, "-c", ASKS, server.url(), "SELECT count(*) FROM busy(40)"])
        with psycopg.connect(server.url(), autocommit=True) as conn:
            conn.execute(
                "CREATE FUNCTION busy(seconds int) RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN "
                "WHILE clock_timestamp() < now() + seconds * interval '1 s' LOOP END LOOP; END $$"
            )
        wait_for_statement(server.url())
        os.kill(postmaster(server), signal.SIGKILL)
        started = time.monotonic()
        assert server.revive()
        assert time.monotonic() - started < 10
        assert asked.wait(10)


def wait_for_statement(url):
    for _ in range(200):
        if (
            ask(
                url,
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%busy(40)%' AND state = 'active'",
            )
            > 1
        ):
            return
        time.sleep(0.1)
    raise AssertionError("the statement does not run")


@pytest.mark.parametrize("damage", [b"", b"\0" * 8192, None], ids=["empty", "zeroed", "gone"])
def test_a_broken_control_file_asks_for_the_backup_and_not_for_initdb(home, damage):
    EmbeddedServer.open(home).close()
    place = choose_place(home)
    control = place.data_dir / "global" / "pg_control"
    control.unlink() if damage is None else control.write_bytes(damage)
    with pytest.raises(ServerStartError) as raised:
        EmbeddedServer.open(home)
    told = str(raised.value)
    assert f"{control}, is damaged or missing. Restore {place.root} from your backup" in told
    assert "initdb" not in told


def test_a_data_folder_without_its_version_asks_for_the_backup(home):
    EmbeddedServer.open(home).close()
    place = choose_place(home)
    (place.data_dir / "PG_VERSION").unlink()
    with pytest.raises(ServerStartError, match=r"no PG_VERSION. Restore .* from your backup"):
        EmbeddedServer.open(home)


def test_a_data_folder_of_another_major_version_is_refused_untouched(home):
    EmbeddedServer.open(home).close()
    place = choose_place(home)
    (place.data_dir / "PG_VERSION").write_text("17\n")
    before = Watched(place.data_dir)
    with pytest.raises(ServerStartError, match="made by PostgreSQL 17") as raised:
        EmbeddedServer.open(home)
    assert "ultron backup FILE" in str(raised.value) and "ultron restore FILE" in str(raised.value)
    assert before.changes() == []


def test_an_interrupted_initdb_is_begun_again(home):
    place = choose_place(home)
    (place.root / "data.new").mkdir()
    (place.root / "data.new" / "PG_VERSION").write_text("18")
    with EmbeddedServer.open(home) as server:
        assert ask(server.url(), "SELECT 1") == 1
    assert not (place.root / "data.new").exists()


def test_a_planted_socket_folder_is_passed_over(home):
    place = choose_place(home)
    first = make_socket_dir(place)
    first.chmod(0o777)
    second = make_socket_dir(place)
    assert second != first and second.stat().st_mode & 0o777 == 0o700
    first.rmdir()
    second.rmdir()


def test_foreign_files_in_the_data_folder_are_left_alone(home):
    data = choose_place(home).data_dir
    data.mkdir()
    (data / "letter.txt").write_text("mine")
    if os.geteuid() == 0:
        shutil.chown(data, choose_place(home.parent).account.uid)
    with pytest.raises(ServerStartError, match="not empty"):
        EmbeddedServer.open(home)
    assert (data / "letter.txt").read_text() == "mine"


def test_a_server_that_cannot_start_shows_its_log(home):
    EmbeddedServer.open(home).close()
    place = choose_place(home)
    with (place.data_dir / "postgresql.conf").open("a") as conf:
        conf.write("no_such_setting = 1\n")
    with pytest.raises(ServerStartError, match="no_such_setting"):
        EmbeddedServer.open(home)


@pytest.mark.slow
def test_eight_processes_at_once_share_one_server_that_outlives_a_killed_client(home):
    clients = [client(home) for _ in range(8)]
    told = [json.loads(c.stdout.readline()) for c in clients]
    pids, data = {one["pid"] for one in told}, Path(told[0]["data"])
    assert len(pids) == 1
    clients[0].kill()
    clients[0].wait()
    for one in clients[1:]:
        assert is_postgres(*pids, data)
        one.communicate("\n", timeout=60)
    assert not is_postgres(*pids, data)


def test_ctrl_c_in_the_terminal_of_the_starter_does_not_stop_the_server(home):
    # a background job of a shell ignores the signal, and so does what it starts
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    starter = client(home, start_new_session=True)
    signal.signal(signal.SIGINT, usual)
    pid = json.loads(starter.stdout.readline())["pid"]
    os.killpg(starter.pid, signal.SIGINT)
    starter.wait(60)
    with EmbeddedServer.open(home) as server:
        assert postmaster(server) == pid


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_an_ordinary_user_keeps_everything_in_the_home(home):
    nobody = pwd.getpwnam("nobody")
    home.mkdir()
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    reader, writer = os.pipe()
    # a fork, since the account may not be able to start this interpreter
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)
            with EmbeddedServer.open(home) as server:
                answer = {**server.describe(), "one": ask(server.url(), "SELECT 1")}
        except BaseException as error:
            answer = {"error": repr(error)}
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.waitpid(child, 0)
    places = json.loads(os.read(reader, 65536))
    os.close(reader)
    os.close(writer)
    assert "error" not in places, places
    assert places["one"] == 1
    assert places["account"] == "nobody"
    assert places["data"] == str(home.resolve() / "postgres" / "data")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root hands the server to another account")
def test_root_in_a_private_home_opens_no_folder(home):
    home.parent.chmod(0o700)
    had_system_dir = SYSTEM_DIR.exists()
    root = SYSTEM_DIR / private_name(home.resolve())
    try:
        with EmbeddedServer.open(home) as server:
            assert server.describe()["data"] == str(root / "data")
            assert ask(server.url(), "SELECT 1") == 1
        assert home.parent.stat().st_mode & 0o777 == 0o700
    finally:
        shutil.rmtree(root, ignore_errors=True)
        if not had_system_dir and not any(SYSTEM_DIR.iterdir()):
            SYSTEM_DIR.rmdir()


def test_the_socket_takes_known_accounts_only_also_in_a_data_folder_of_an_older_version(tmp_path):
    with EmbeddedServer.open(tmp_path / "home") as server:
        data = Path(server.describe()["data"])
    (data / "pg_hba.conf").write_text("local all all trust\n")
    (data / "pg_ident.conf").write_text("")
    with EmbeddedServer.open(tmp_path / "home") as server, psycopg.connect(server.url("postgres")) as conn:
        rows = conn.execute("SELECT auth_method, user_name FROM pg_hba_file_rules").fetchall()
        names = {r[0] for r in conn.execute("SELECT sys_name FROM pg_ident_file_mappings").fetchall()}
    assert rows == [("peer", ["ultron"])]
    assert pwd.getpwuid(os.geteuid()).pw_name in names and "nobody" not in names - {
        server.describe()["account"]
    }
