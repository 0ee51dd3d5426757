"""Merging loses nothing."""

import pytest

from ultron_core.errors import ModelUnavailableError
from ultron_core.memories import Body, merge_bodies, merge_tags

OLD = Body("pip install fails in the container.", "Docker, Python 3.11", "Use --network host.")


class Model:
    """A model that always answers with the given fields."""

    model_id = "test-model"

    def __init__(self, error=None, **fields):
        self.fields, self.error, self.stages = fields, error, []

    def complete(self, messages, schema, *, stage=""):
        self.stages.append(stage)
        if self.error:
            raise self.error
        return schema(**self.fields)


def test_missing_facts_are_added_as_a_line_and_the_older_words_stay():
    new = Body(
        "pip install fails in the container. The proxy is proxy.corp:3128.", "Docker", "Set HTTPS_PROXY."
    )
    result = merge_bodies(OLD, new)
    assert result.changed
    assert result.body.content == "pip install fails in the container.\nThe proxy is proxy.corp:3128."
    assert result.body.context == "Docker, Python 3.11"
    assert result.body.resolution == "Use --network host.\nSet HTTPS_PROXY."


def test_two_lists_in_one_sentence_become_one():
    old = Body("Changes in shop are checked with `mix test`, `mix credo`.", "When changing `.exs` files.")
    new = Body("Changes in shop are checked with `mix test`, `mix compile --force`.")
    merged = merge_bodies(old, new).body
    assert (
        merged.content == "Changes in shop are checked with `mix test`, `mix credo`, `mix compile --force`."
    )
    assert merge_bodies(merged, new).changed is False


def test_a_paraphrase_adds_nothing():
    result = merge_bodies(OLD, Body("In the container pip install fails."))
    assert (result.changed, result.reason, result.body) == (False, "nothing_new", OLD)


def test_the_same_in_the_other_language_adds_nothing():
    assert not merge_bodies(OLD, Body("容器里 pip install 失败。")).changed


def test_an_empty_field_is_filled():
    assert merge_bodies(
        Body("Builds are slow."), Body("Builds are slow.", resolution="Warm the cache.")
    ).body == Body("Builds are slow.", "", "Warm the cache.")


def test_merging_twice_is_merging_once():
    new = Body("It fails with code 137.")
    once = merge_bodies(OLD, new).body
    assert merge_bodies(once, new).body == once


def test_a_field_over_the_limit_leaves_the_body_as_it_was():
    result = merge_bodies(OLD, Body("See ticket ABC-77 for more."), max_field_tokens=10)
    assert (result.body, result.reason) == (OLD, "field_too_long")


def test_a_model_merge_that_drops_a_fact_is_refused():
    new = Body("The container needs port 3128 open.")
    fields = {"context": OLD.context, "resolution": OLD.resolution}
    good = Model(content="pip install fails in the container; port 3128 must be open.", **fields)
    assert merge_bodies(OLD, new, good).reason == "model"
    assert good.stages == ["merge"]
    bad = Model(content="pip install fails in the container.", context="Docker", resolution=OLD.resolution)
    result = merge_bodies(OLD, new, bad)
    assert (result.body, result.reason) == (OLD, "would_lose_facts")


def test_errors_of_the_model_pass_through():
    with pytest.raises(ModelUnavailableError):
        merge_bodies(OLD, Body("Port 3128."), Model(error=ModelUnavailableError("down")))


def test_tags_are_united_without_regard_to_case_and_provenance_survives_the_cap():
    old = [f"t{i}" for i in range(20)]
    merged = merge_tags(["Python", *old], ["python", "segment:ab12cd34", "agent:me", "new"], cap=6)
    assert merged == ("Python", "t0", "t1", "t2", "segment:ab12cd34", "agent:me")
