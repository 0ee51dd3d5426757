"""A topic is made of the words that a cluster's memories share and others lack."""

from ultron_core.clusters import name_topics

DOCKER = ["docker build needs wheel", "docker image lacks wheel", "docker build script"]
CAKE = ["cake needs sugar", "cake script"]


def test_shared_words_come_first_and_common_ones_never():
    docker, cake = name_topics([DOCKER, CAKE])
    assert docker.split()[0] == "docker" and cake.split()[0] == "cake"
    assert name_topics([["the error failed because of the parser"]]) == ["parser"]


def test_of_equally_good_words_those_at_the_beginning_of_a_text_are_taken():
    assert name_topics([["Linting does fail before any edit, as Enum and Apple were moved"]]) == [
        "Linting fail edit Enum"
    ]


def test_the_order_of_the_texts_does_not_matter():
    assert name_topics([DOCKER, CAKE]) == name_topics([DOCKER[::-1], CAKE[::-1]])


def test_chinese_words_and_groups_without_words():
    assert name_topics([["数据库 超时", "数据库 连接"], ["1 2 3"]])[0].startswith("数据库")
    assert name_topics([["1 2 3"], []]) == ["", ""]
