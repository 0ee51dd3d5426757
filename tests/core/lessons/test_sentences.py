"""The sentences of memories: both languages say the same things, each in its own words."""

import re
from pathlib import Path

from tests.core.lessons.builders import bash, talk
from ultron_core import lessons
from ultron_core.lessons.drafts import find_drafts
from ultron_core.lessons.sentences import PHRASES
from ultron_core.transcript import risks

CHINESE = ("user", "请处理一下这个任务，谢谢你的帮助。")
#: what may stay Latin in a Chinese sentence: names of programs, and what is filled in
NAMES = re.compile(
    r"\{\w+\}|`[^`]*`|"
    r"\b(?:SEARCH|ID|API|GitHub|GitLab|Google|Hugging Face|LLM|npm|Slack|Stripe|Telegram|AWS|PowerShell)\b"
)


def places(sentence):
    return sorted(set(re.findall(r"\{(\w+)\}", sentence)))


def test_both_languages_have_every_sentence_with_the_same_places():
    assert PHRASES["en"].keys() == PHRASES["zh"].keys()
    for key, sentence in PHRASES["en"].items():
        assert places(sentence) == places(PHRASES["zh"][key]), key


def test_a_chinese_sentence_holds_no_english_words():
    assert {
        key for key, text in PHRASES["zh"].items() if re.search("[A-Za-z]{2}", NAMES.sub("", text))
    } == set()


def test_every_sentence_is_used():
    """By its own name, or as `<kind>_fix` or `<kind>_in` (a project) of one that is."""
    modules = [*Path(lessons.__path__[0]).rglob("*.py"), Path(risks.__file__)]  # the kinds of risks name some
    source = "".join(path.read_text() for path in modules)
    assert {
        key for key in PHRASES["en"] if f'"{key.removesuffix("_fix").removesuffix("_in")}"' not in source
    } == set()


def test_the_output_of_a_call_is_described_in_the_language_of_the_talk():
    key = "ghp_" + "aB3dE6gH9j" * 3 + "kL2mN5"
    (draft,) = find_drafts(talk(CHINESE, (bash("env"), f"GITHUB_TOKEN={key}")))
    assert draft.content == "`env` 的输出中出现了密钥（GitHub 令牌）。"
