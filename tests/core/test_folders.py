"""New homes, exports and log files are for their owner alone, whoever that is and whatever the umask."""

import json
import logging
import os
import tempfile
from pathlib import Path

import pytest

from ultron_core.cli.main import set_up_logging
from ultron_core.folders import exposed, make_folders, make_home, narrow
from ultron_core.settings import Settings, StoreSettings
from ultron_core.sft import BuildConfig, Tools, Workers, build_rows, write_dataset

IS_ROOT = os.geteuid() == 0
NOBODY = 65534
NO_ROWS = BuildConfig(limit=1, max_tokens=9, tool_output_max_tokens=9, validation_share=0.0, reasoning="keep")


@pytest.fixture
def open_folder():
    """A folder that every account may enter and write; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def make_everything(home):
    """What first commands make: a home with its log, then an export. Returns the mode of each."""
    settings = Settings(store=StoreSettings(home=home, log_file=home / "ultron.log"))
    set_up_logging(settings)
    logging.getLogger("ultron").handlers.clear()
    built = build_rows([], NO_ROWS, Workers(lambda: Tools(lambda values: values, lambda text: False, len)))
    chosen = {"min_quality_score": 0, "max_tokens": 9, "tool_output_max_tokens": 9}
    export = settings.exports_dir / "name" / "version"
    write_dataset(export, built, {"name": "name", "version": "version", "config": chosen})
    places = {"home": home, "log": home / "ultron.log", "exports": settings.exports_dir, "export": export}
    return {name: f"{path.stat().st_mode & 0o777:o}" for name, path in places.items()}


def modes(home, umask, account=None):
    """`make_everything` in a process of its own, as another account if one is given."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if account is not None:
                os.setgroups([])
                os.setgid(account)
                os.setuid(account)
            os.umask(umask)
            os.write(writer, json.dumps(make_everything(home)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        found = answer.read()
    os.waitpid(child, 0)
    return json.loads(found)


@pytest.mark.parametrize("umask", [0o022, 0o000, 0o077])
def test_what_this_account_makes(open_folder, umask):
    expected = {"home": "711" if IS_ROOT else "700", "log": "600", "exports": "700", "export": "700"}
    assert modes(open_folder / "new" / "home", umask) == expected


@pytest.mark.skipif(not IS_ROOT, reason="only root can become another account")
def test_what_a_plain_account_makes(open_folder):
    expected = {"home": "700", "log": "600", "exports": "700", "export": "700"}
    assert modes(open_folder / "new" / "home", 0o022, NOBODY) == expected


def test_folders_that_exist_keep_their_permissions(tmp_path):
    tmp_path.chmod(0o755)
    make_home(tmp_path)
    make_folders(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_a_file_in_the_way_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileExistsError):
        make_folders(tmp_path / "file")


def test_what_other_accounts_may_read_is_found_and_closed(open_folder):
    home = open_folder / "home"
    (home / "sessions").mkdir(parents=True)
    (home / "closed").mkdir()
    for name in ("ultron.toml", "sessions/one.jsonl", "closed/two.jsonl"):
        (home / name).write_text("x")
        (home / name).chmod(0o644)
    (home / "serve.json").write_text("x")
    (home / "serve.json").chmod(0o600)
    (home / "link").symlink_to(home / "closed" / "two.jsonl")
    home.chmod(0o711)  # passable, but nobody sees what is in it
    (home / "sessions").chmod(0o755)
    (home / "closed").chmod(0o700)
    found = list(exposed(home, open_folder / "nowhere"))
    assert found == [home / "sessions", home / "sessions" / "one.jsonl", home / "ultron.toml"]
    for path in found:
        narrow(path)
    assert list(exposed(home)) == []
    assert (home / "ultron.toml").stat().st_mode & 0o777 == 0o600
    assert (home / "sessions").stat().st_mode & 0o777 == 0o711


def test_what_lies_below_a_closed_folder_is_out_of_reach(open_folder):
    inner = open_folder / "private" / "home"
    inner.mkdir(parents=True)
    inner.chmod(0o755)
    assert list(exposed(inner)) == [inner]
    inner.parent.chmod(0o700)
    assert list(exposed(inner)) == []


def test_what_is_not_there_exposes_nothing(tmp_path):
    assert list(exposed(tmp_path / "nobody" / "share" / "ultron")) == []
