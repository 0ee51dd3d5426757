"""Marking a stage to be done again by who made it: offline rows say `offline:<version>` in every stage."""

import pytest

from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError
from ultron_core.segments import SEGMENTER_VERSION
from ultron_core.steps.stages.process import STEPS, count_pending
from ultron_core.steps.stages.reprocess import reprocess
from ultron_core.steps.stages.table import STAGES


@pytest.fixture
def ultron(settings, tmp_path):
    with Ultron(settings) as ultron:
        log = write_log(tmp_path / "log.jsonl", solved("alpha", "pandas"))
        assert ultron.ingest([log], "agent", process=True)["total_memories"] >= 1
        yield ultron


@pytest.mark.parametrize("stage", [stage.option for stage in STAGES if stage.call])
def test_every_stage_finds_what_it_made_offline(ultron, stage):
    assert reprocess(ultron.runtime, stage, made_by="model") == 0
    assert reprocess(ultron.runtime, stage, made_by="offline") == 1


def test_windows_are_found_by_their_model_and_made_again(ultron):
    assert reprocess(ultron.runtime, "windows", made_by="another-model") == 0
    assert count_pending(ultron.runtime)["message_windows"] == 0
    assert reprocess(ultron.runtime, "windows", made_by=ultron.runtime.embedder.model_id) == 1
    assert count_pending(ultron.runtime)["message_windows"] == 1
    ultron.process_pending()
    assert count_pending(ultron.runtime)["message_windows"] == 0


def test_memories_extracted_again_keep_their_ids(ultron):
    def memories():
        with ultron.runtime.database.transaction() as conn:
            return conn.execute("SELECT id, extractor FROM memories ORDER BY id").fetchall()

    before = memories()
    assert {row["extractor"].partition(":")[0] for row in before} == {"offline"}
    reprocess(ultron.runtime, "memories", made_by="offline")
    report = ultron.process_pending()
    assert (report["memories"], memories()) == (0, before)


def test_every_version_names_its_maker():
    assert [step.stage for step in STEPS] == list(STAGES)
    assert STEPS[0].version == SEGMENTER_VERSION
    assert all(step.version.startswith("offline:") for step in STEPS if step.stage.call)


def test_an_unknown_stage_is_named_with_the_valid_ones(ultron):
    with pytest.raises(InputError, match="'tiers' is not valid: use one of segments, labels, memories"):
        reprocess(ultron.runtime, "tiers")
