"""The handbook of a project, from its logs to the file: what is proven or was said by a person, and nothing else."""

import pytest

from tests.support.worlds import solved, task, write_log
from ultron_core.client import Ultron
from ultron_core.errors import InputError, UnknownNameError
from ultron_core.steps.browse import list_memories


@pytest.fixture
def ultron(settings, tmp_path):
    rule = [{"role": "user", "content": "Always use tabs for indentation in this repository."},
            {"role": "assistant", "content": "Understood, tabs from now on."}]  # fmt: skip
    write_log(tmp_path / "logs" / "a.jsonl", solved("cart", "pandas"), rule, cwd="/home/ana/src/shop")
    write_log(tmp_path / "logs" / "b.jsonl", solved("post", "jinja2"), cwd="/home/ana/src/blog")
    write_log(tmp_path / "logs" / "c.jsonl", task("empty"), cwd="/home/ana/src/quiet")
    with Ultron(settings) as ultron:
        ultron.ingest([tmp_path / "logs"], "me", process=True)
        yield ultron


def test_what_was_said_is_told_with_its_memory(ultron):
    found = ultron.handbook("Shop")
    assert {line.section for line in found.lines} == {"conventions"}
    assert "tabs" in found.text and "make pandas" in found.text and "jinja2" not in found.text
    for line in found.lines:
        (record,) = [m for m in list_memories(ultron.runtime).rows if str(m.id).startswith(line.pointer)]
        assert record.project == "shop"


def test_looking_at_it_counts_no_hit(ultron):
    ultron.handbook("shop")
    assert {record.hit_count for record in list_memories(ultron.runtime).rows} == {1}


def test_a_project_is_named_or_that_of_the_working_folder(ultron):
    with pytest.raises(UnknownNameError, match="shop"):
        ultron.handbook("shoop")
    with pytest.raises(InputError, match="working folder"):
        ultron.handbook()
