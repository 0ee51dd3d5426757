"""The schemas that are sent: taken by every server that is supported, in the order of the prompts' examples."""

import json
from importlib.resources import files

import pytest
from pydantic import BaseModel, Field

from tests.support.model.schema_rules import REPEATED, SERVERS, nodes, order
from ultron_core.clusters.topics import Topic
from ultron_core.labels.judge import Judgement
from ultron_core.llm.answering.answers import parse_answer
from ultron_core.llm.answering.schemas import asked_schema, json_schema_format
from ultron_core.memories.classify import TypeAnswer
from ultron_core.memories.merging.bodies import MergedBody
from ultron_core.memories.merging.confirm import SameFact
from ultron_core.memories.notes import ExtractAnswer
from ultron_core.memories.summarize import SummaryAnswer
from ultron_core.search.expand import Expansion
from ultron_core.search.rerank import RerankAnswer
from ultron_core.segments.by_model.answer import TaskList
from ultron_core.steps.stages.review import Review
from ultron_core.steps.stages.whole import SessionReview

ANSWERS = (
    *(TaskList, Judgement, Review, SessionReview, ExtractAnswer, SummaryAnswer, TypeAnswer, SameFact),
    *(MergedBody, Topic, Expansion, RerankAnswer),
)
#: prompts whose examples are whole answers, with what they are answers to
EXAMPLES = {
    ("ultron_core.segments.by_model", "segment"): TaskList,
    ("ultron_core.labels", "label"): Judgement,
    ("ultron_core.llm", "both"): Review,
    ("ultron_core.llm", "whole"): SessionReview,
    ("ultron_core.memories", "extract"): ExtractAnswer,
    ("ultron_core.memories", "ingest"): ExtractAnswer,
    ("ultron_core.memories", "summarize"): SummaryAnswer,
    ("ultron_core.memories", "merge"): MergedBody,
}


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.__name__)
def test_no_supported_server_refuses_a_schema(answer, server):
    assert SERVERS[server](asked_schema(answer)) == ""


def test_the_rules_refuse_what_the_servers_refuse():
    class Long(BaseModel):
        text: str = Field(max_length=REPEATED)

    class Many(BaseModel):
        texts: list[str] = Field(max_length=700)

    assert "repetitions" in SERVERS["llama.cpp"](Long.model_json_schema())
    assert "repetitions" in SERVERS["llama.cpp"](Many.model_json_schema())
    assert SERVERS["Ollama"](Long.model_json_schema()) == "invalid JSON schema in format"
    assert SERVERS["llama.cpp"](asked_schema(Long)) == "", "a larger bound is left out of what is sent"


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.__name__)
def test_no_length_is_bounded_by_more_than_a_grammar_takes(answer):
    assert all(node.get("maxLength", 0) < REPEATED for node in nodes(asked_schema(answer)))


@pytest.mark.parametrize("place", EXAMPLES, ids=lambda place: place[1])
def test_examples_have_the_order_that_a_grammar_makes_a_model_write(place):
    schema = asked_schema(EXAMPLES[place])
    text = files(place[0]).joinpath("prompts", f"{place[1]}.md").read_text("utf-8")
    examples = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    assert examples
    for example in examples:
        in_order(example, schema, schema)


def in_order(value, schema, root):
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "anyOf" in schema:
        schema = next(one for one in schema["anyOf"] if one.get("type") != "null")
        return in_order(value, schema, root)
    if isinstance(value, list):
        return [in_order(one, schema["items"], root) for one in value]
    if isinstance(value, dict):
        assert list(value) == [name for name in order(schema) if name in value]
        assert set(schema.get("required", ())) <= set(value)
        return [in_order(part, schema["properties"][name], root) for name, part in value.items()]
    return None


@pytest.mark.parametrize("answer", [ExtractAnswer, Review, SessionReview], ids=lambda answer: answer.__name__)
def test_a_note_begins_with_its_type_and_its_quotes_and_has_both(answer):
    note = asked_schema(answer)["$defs"]["Note"]
    assert order(note)[:3] == note["required"] == ["memory_type", "evidence", "content"]
    assert "anyOf" not in note["properties"]["memory_type"], "no null either"


def test_what_is_asked_for_may_be_missing_in_what_is_read():
    read = parse_answer('{"memories": [{"content": "The import fails."}]}', ExtractAnswer)
    assert [note.content for note in read.memories] == ["The import fails."]


def test_the_name_of_a_schema_has_the_signs_that_servers_take():
    assert json_schema_format(Review)["json_schema"]["name"] == "Review"
