"""What an export cleaned is remembered in the database: the next one does only what is new."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest

from tests.support.worlds import task, write_log
from ultron_core.client import Ultron
from ultron_core.redaction import PresidioRedactor
from ultron_core.steps.sft.export import ExportRequest, export_dataset

LOW = ExportRequest(min_quality_score=0.5)


class Counting(PresidioRedactor):
    """Counts the rows that it is given; lists of tools are none."""

    rows = 0

    def redact_json_many(self, values):
        self.rows += sum(isinstance(value, dict) and "content" in value for value in values)
        return super().redact_json_many(values)


@pytest.fixture
def world(settings, tmp_path):
    write_log(tmp_path / "logs" / "one.jsonl", task("alpha"), task("beta"))
    write_log(tmp_path / "logs" / "two.jsonl", task("gamma"))
    with Ultron(settings, redactor=Counting(), clock=lambda: datetime(2026, 3, 1, tzinfo=UTC)) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        yield ultron


def remembered(ultron):
    with ultron.runtime.database.transaction() as conn:
        return {row["segment_id"] for row in conn.execute("SELECT segment_id FROM sft_cleaned")}


def test_a_second_export_redacts_only_what_is_new(world, tmp_path):
    first = export_dataset(world.runtime, LOW)
    redacted = world.runtime.redactor.rows
    assert redacted == first.rows > 0 and len(remembered(world)) == first.rows
    export_dataset(world.runtime, ExportRequest(name="other", min_quality_score=0.5))
    assert world.runtime.redactor.rows == redacted
    write_log(tmp_path / "logs" / "three.jsonl", task("delta"))
    world.ingest([tmp_path / "logs"], "me", process=True)
    assert export_dataset(world.runtime, LOW).rows == first.rows + 1
    assert world.runtime.redactor.rows == redacted + 1


def test_other_rules_are_applied_to_all_rows(world, settings):
    first = export_dataset(world.runtime, LOW)
    redactor = Counting(("alpha",))
    with Ultron(settings, redactor=redactor) as other:
        second = export_dataset(other.runtime, LOW)
    assert redactor.rows == second.rows == first.rows
    assert second.content_hash != first.content_hash


def test_what_is_remembered_goes_with_its_segment(world):
    export_dataset(world.runtime, LOW)
    with world.runtime.database.transaction() as conn:
        conn.execute("DELETE FROM sessions WHERE session_file LIKE '%two.jsonl'")
    left = remembered(world)
    with world.runtime.database.transaction() as conn:
        files = {
            row["session_file"].rsplit("/", 1)[1]
            for row in conn.execute("SELECT session_file FROM task_segments WHERE id = ANY(%s)", [list(left)])
        }
    assert files == {"one.jsonl"} and left


def test_a_process_that_cleans_rows_imports_nothing_that_reads_or_writes_files():
    told = (
        "import ultron_core.sft.draft, ultron_core.steps.sft.cleaning, sys; print('pyarrow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
