"""Every prompt: the language rule first, what not to do, and worked examples whose answers fit what is asked for."""

import re
from pathlib import Path

import pytest

import ultron_core
from ultron_core.clusters.topics import Topic
from ultron_core.labels.judge import Judgement
from ultron_core.llm.answering.answers import parse_answer
from ultron_core.llm.prompts import without_examples
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories.classify import TypeAnswer
from ultron_core.memories.merging.bodies import MergedBody
from ultron_core.memories.merging.confirm import SameFact
from ultron_core.memories.notes import ExtractAnswer
from ultron_core.memories.summarize import SummaryAnswer
from ultron_core.search.expand import Expansion
from ultron_core.search.rerank import RerankAnswer
from ultron_core.segments.by_model.answer import TaskList
from ultron_core.steps.stages.review import Review, review_question
from ultron_core.steps.stages.whole import SessionReview, whole_prompt

ROOT = Path(ultron_core.__file__).parent
SCHEMAS = {
    "segments/by_model/prompts/segment.md": TaskList,
    "labels/prompts/label.md": Judgement,
    "memories/prompts/extract.md": ExtractAnswer,
    "llm/prompts/both.md": Review,
    "llm/prompts/whole.md": SessionReview,
    "memories/prompts/ingest.md": ExtractAnswer,
    "memories/prompts/classify.md": TypeAnswer,
    "memories/prompts/merge.md": MergedBody,
    "memories/prompts/same.md": SameFact,
    "memories/prompts/summarize.md": SummaryAnswer,
    "clusters/prompts/topic.md": Topic,
    "search/prompts/expand.md": Expansion,
    "search/prompts/rerank.md": RerankAnswer,
}
#: with an example each, as they are sent most
FULL = ("llm/prompts/both.md", "llm/prompts/whole.md")
#: parts of other prompts
PARTS = {"again.md", "record.md", "schema.md"}


def text_of(name):
    return (ROOT / name).read_text("utf-8")


def schema_is_about_a_record(name):
    return SCHEMAS[name] in (TaskList, Judgement, ExtractAnswer) and not name.endswith("ingest.md")


def examples(text):
    return re.findall(r"(?:^|-> )(\{.*\})$", text, re.MULTILINE)


def test_every_prompt_is_checked_here():
    found = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("prompts/*.md")}
    assert {name for name in found if Path(name).name not in PARTS} == set(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_answers_of_its_examples_fit(name):
    given = examples(text_of(name))
    assert len(given) == (1 if name in FULL else 3)
    for answer in given:
        assert parse_answer(answer, SCHEMAS[name]) == SCHEMAS[name].model_validate_json(answer)
    assert re.search("[一-鿿]", text_of(name).partition("Examples")[2]), "one is Chinese"


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() - {*FULL}))
def test_it_says_in_which_language_to_write_first_and_what_not_to_do(name):
    text = text_of(name)
    if schema_is_about_a_record(name):
        text = f"{text_of('llm/prompts/record.md')}\n{whole_prompt()}"
    assert re.search("language", text.splitlines()[0])
    assert re.search("^Do not|[.:] Do not|^Do not", text, re.MULTILINE)
    assert re.search(r"(?:is|are) data", text), "what it is given holds no instructions"


ALONE = ("llm/prompts/record.md", "labels/prompts/label.md", "memories/prompts/extract.md")
TOGETHER = {
    review_question("").prompt: ALONE,
    whole_prompt(): (*ALONE, "segments/by_model/prompts/segment.md"),
}


@pytest.mark.parametrize("prompt", TOGETHER, ids=("both", "whole"))
def test_the_questions_in_one_are_the_questions(prompt):
    for name in TOGETHER[prompt]:
        assert without_examples(text_of(name)).strip() in prompt
    assert prompt.count("\nExamples\n") == 1
    assert set(Review.model_json_schema()["required"]) >= {"outcome", "metrics", "memories"}


def test_the_instructions_of_all_questions_are_short():
    """They are to be a tenth of what is sent, of sessions of about ten thousand tokens."""
    assert count_tokens(whole_prompt()) <= 1_050
