"""The pace of a model stands beside the progress of the work, and is told as it answers."""

from types import SimpleNamespace

from ultron_core.cli.model.pace import with_pace
from ultron_core.llm.pace import Pace
from ultron_core.settings import LLMSettings, Settings


def told_with(llm, settings):
    told = []
    advance = with_pace(
        SimpleNamespace(llm=llm, settings=settings), lambda text, done, total=None: told.append(text)
    )
    return advance, told


def test_without_a_model_the_progress_is_what_it_was():
    advance, told = told_with(None, Settings())
    advance("segments", 2)
    assert told == ["segments"]


def test_tokens_a_second_are_told_after_each_answer():
    pace = Pace()
    settings = Settings(llm=LLMSettings(api_key="k", base_url="https://llm.example/v1"))
    advance, told = told_with(SimpleNamespace(pace=pace), settings)
    advance("segments", 0)
    pace.add(200, 20.0)
    assert told == ["segments", "segments, 10 tokens/s"]


def test_the_time_that_is_left_is_that_of_the_calls_that_are():
    pace = Pace()
    pace.add(200, 20.0)
    pace.add(100, 40.0)
    assert pace.tokens_per_second == 5
    assert pace.left(12) == 300 and pace.left(12, at_once=2) == 150 and pace.left(2) == 0
