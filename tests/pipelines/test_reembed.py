"""The job brings the store to the model of the settings."""

import pytest

from ultron_core.client import Ultron
from ultron_core.steps.upkeep.reembed import model_states
from ultron_core.testing import FakeEmbedder

pytestmark = pytest.mark.xdist_group("dagster")


def test_the_job_goes_to_the_model_of_the_settings(defs, instance, dagster_settings):
    with Ultron(dagster_settings, embedder=FakeEmbedder(model_id="old")) as ultron:
        ultron.upload_memories(
            [{"content": "Kafka keeps offsets."}, {"content": "Vanilla cake needs sugar."}]
        )
    config = {"ops": {"reembed_vectors": {"config": {"grace_seconds": 0}}}}
    done = defs.resolve_job_def("reembed_job").execute_in_process(instance=instance, run_config=config)
    assert done.success
    with Ultron(dagster_settings) as ultron:
        (model,) = model_states(ultron.runtime)
        assert (model.model_id, model.state, model.embedded) == ("use-multilingual-v3", "in use", 2)
        hit = ultron.search_memories("where does Kafka keep its offsets?", record_hits=False)[0]
        assert hit.record.summary_l0.startswith("Kafka") and hit.similarity_score > 0.4
