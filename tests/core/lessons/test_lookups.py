"""Lookups that found nothing, and why the next one did."""

from tests.core.lessons.builders import talk
from ultron_core.lessons.lookups import find_lookups
from ultron_core.transcript.actions import read_actions

PAGE = "Ian Hunter is an English singer who led the band Mott the Hoople. " * 5


def lessons(*turns):
    messages = talk(("user", "Who led the band?"), *turns)
    drafts = find_lookups(messages, read_actions(messages))
    return [draft.tags[1] for draft in drafts]


def search(query, output):
    return (("search", {"input": query}), output)


NOTHING = "Could not find [Ian Hunter]. Similar: ['Ian Hunter (singer)', 'Ian Hunter (actor)']"


def test_one_of_the_names_that_were_listed():
    assert lessons(search("Ian Hunter", NOTHING), search("Ian Hunter (singer)", PAGE)) == ["similar"]


def test_a_listed_name_of_something_else_is_another_question():
    nothing = "Could not find [Love Incredible]. Similar: ['Love Incredible (song)', 'Cashmere Cat']"
    assert lessons(search("Love Incredible", nothing), search("Cashmere Cat", PAGE)) == []


def test_that_fewer_words_find_more_is_known_to_everybody():
    assert (
        lessons(search("Ian Hunter singer birthday", "No results found."), search("Ian Hunter", PAGE)) == []
    )


def test_another_question_or_another_failure_teaches_nothing():
    assert lessons(search("Ian Hunter", "No results found."), search("Mott the Hoople", PAGE)) == []
    assert lessons(search("Ian Hunter", NOTHING), search("Ian Hunter (singer)", "No results found.")) == []
    assert lessons(search("Ian Hunter", PAGE), search("Ian", PAGE)) == []


def test_the_same_lesson_twice_is_one_memory():
    twice = [search("Ian Hunter", NOTHING), search("Ian Hunter (singer)", PAGE)] * 2
    assert lessons(*twice) == ["similar"]


def test_chinese():
    messages = talk(
        ("user", "请查一下这位歌手的生日是哪一天。"),
        search("伊恩 亨特", "没有找到，相近：伊恩 亨特（歌手）"),
        search("伊恩 亨特（歌手）", "伊恩·亨特是英国歌手。"),
    )
    (draft,) = find_lookups(messages, read_actions(messages))
    assert draft.content == "`search` 只按确切的名称查找；找不到时会列出相近的名称，用其中之一找到了。"
