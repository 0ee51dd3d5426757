"""A home that was copied while nothing ran: what is erased in the copy goes there, and the first home stays."""

import shutil
import subprocess
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.places import files_text
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings, Settings, StoreSettings
from ultron_core.steps.files.drop_folder import scan
from ultron_core.steps.files.ingest import ingest_files
from ultron_core.steps.sft.export import ExportRequest, export_dataset

PHRASE = "quetzalite"


@pytest.fixture
def place():
    """A folder that the account of the embedded server can get into also for root."""
    folder = Path(tempfile.mkdtemp(prefix="ultron-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def opened(home):
    return Ultron(
        Settings(
            store=StoreSettings(home=home),
            sessions=SessionSettings(quiet_minutes=0),
            llm=LLMSettings(offline=True),
        )
    )


def copied(home):
    copy = home.with_name("copy")
    subprocess.run(["cp", "-a", home, copy], check=True)
    return copy


def holding(home):
    """Files beside the database in which the word stands."""
    found = files_text(home).items()
    return sorted(name for name, text in found if PHRASE in text and not name.startswith("postgres"))


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("agent/project/a.jsonl", "agent/project/a.jsonl"),
        ("top.jsonl", "default/top.jsonl"),
        ("agent/sk-ant-api03-Abcdefghij0123456789klmnopqrstuv.jsonl", None),
    ],
)
def test_what_is_erased_in_a_copied_home_goes_in_the_copy_alone(place, name, key):
    first = place / "first"
    log = write_log(first / "sessions" / name, solved("one", PHRASE), solved("two", PHRASE))
    with opened(first) as ultron:
        settled = scan(ultron.runtime, ultron.runtime.clock() + timedelta(minutes=1))
        ingest_files(ultron.runtime, [seen.file for seen in settled.changed])
        ultron.process_pending()
        dataset = Path(export_dataset(ultron.runtime, ExportRequest(min_quality_score=0.0)).path)
    copy = copied(first)
    before = holding(first)
    assert before == holding(copy) and len(before) >= 2
    with opened(copy) as ultron:
        (session,) = ultron.browse.sessions(limit=5).rows
        report = ultron.erase_session(key or str(session["id"]), datasets=True)
    assert report.logs == (copy / "sessions" / name,) and report.datasets == (
        copy / dataset.relative_to(first.resolve()),
    )
    assert f"The log was read from {log}, outside this home: that file is left alone" in "\n".join(
        report.left
    )
    assert holding(copy) == [] and holding(first) == before
