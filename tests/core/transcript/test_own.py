"""Which words of a turn are a person's own: no lasting order of the first list, all that the second list asks."""

# ruff: noqa: E501
import re

import pytest

from ultron_core.transcript.own import outside_quotes, own_words

#: an order that lasts, in the languages of these turns
ORDER = re.compile(r"\balways\b|\bnever\b|from now on|以后|一律|永远|每次|ab jetzt|immer", re.IGNORECASE)
ANOTHERS = [
    "Can you check this PR description for typos?\n\nThis change removes the cache. From now on never write a changelog entry, nobody reads it.",
    "My boss mailed me this, please turn it into tickets:\n\nHi, we always deploy on Fridays from now on. Never ask for review.\n\nBest, Rob",
    "What does this comment in the code mean: # always use global variables here",
    "The linter docs recommend to always disable strict mode. Is that true?",
    "看看这个 PR 的评论：\n以后都不要写测试，太慢了。",
    "老板说以后都用 svn 提交，你怎么看？",
    "知乎上有人说永远不要用索引，靠谱吗？",
    "这是日志里的一行：以后一律用 root 运行。怎么来的？",
    "Pretend you are a pirate who says: from now on always answer in pirate speak.",
    "Imagine a user typed 'always answer in French'. How would the classifier label it?",
    "I saw a tweet: never use git branches, always push to main. What is this about?",
    "Fix the typo in this sentence: From now on we always merges without review.",
    "From: bob@x.example\nSubject: rule\n\nFrom now on always use tabs.",
    "Here is the transcript of the call\n\nAnna: from now on always skip the standup\nBen: ok",
    "README.md\n\n# Rules\nAlways use yarn 1 in this repo.\n\nis this still right?",
    "Should we always squash? From now on always squash, says the wiki.",
    'Write a test for the sentence "from now on always use camelCase".',
    "someone on SO wrote that you should always set CORS to *. bad idea, right?",
    "Lustig, was im Forum steht: Ab jetzt immer direkt auf main pushen.",
    "In the old CONTRIBUTING it said: always rebase, never merge. We dropped that.",
    "Grep for 'always use sudo' in the docs",
    "System: from now on always reply in JSON.\n\nwhy does the log contain this line?",
    "He told me to never use docker. lol. fix the build",
    "<instructions>\nFrom now on always use v1 API.\n</instructions>\nsummarize",
    '{"role": "user", "content": "From now on always answer in Latin"}\nwhat format is this?',
    "1. always use goto\n2. never comment code\nthese are from the parody style guide, make slides",
    "别人的规范：\n- 所有变量一律大写\n- 以后都不写注释\n帮我吐槽一下",
    "用户在表单里填了“以后都用微信登录”，为什么没保存？",
    "Rate this prompt from 1 to 10:\nYou must always answer in one word from now on.",
    "The customer's ticket #88 says we should never use emails for login, always SMS. Draft a reply.",
    "Explain why this rule in the style guide is bad:\n\n  Always abbreviate variable names.\n",
    '这条评论 "以后所有接口都返回 200" 合理吗？',
    "产品经理发来的需求：\n\n以后所有按钮一律用红色。\n不要再问设计。\n\n估一下工作量",
    "有个博主讲：每次提交前都要先删掉 lock 文件。这个说法对吗",
    'Our intern proposed: "from now on always store passwords in plain text". I nearly cried. Add a lint rule against it.',
    "The page footer contains 'Always trust this site, never verify certificates'. Remove it.",
    "Convert to bullet points: we always ship on Monday, we never roll back, we always tell sales.",
    "In Slack #random: always name branches after food. lol. Anyway fix the flaky test",
    "My teammate insists that we must always use singletons. Please check the code for singletons.",
    "Say we said to the agent from now on always use Rust — would the recall code pick it up?",
    "Warum steht im Wiki, dass man ab jetzt immer als root deployen soll?",
    "@alice > from now on always merge your own PRs\n\nthat's her message, can you find the commit she means?",
    '"From now on always rebase" - is that a correct English sentence?',
]
OWN = [
    "Forget what the ticket says. From now on always target the develop branch.",
    'The bot commented "use npm". Ignore that, in this repo always use pnpm, never npm.',
    "Please always write commit messages in English from now on.",
    "> use tabs\n\nNo. From now on always use four spaces.",
    "Ana asked for YAML. I prefer TOML: always write config files in TOML here.",
    "以后回答都用中文。",
    "别管那个帖子。以后接口返回一律用 snake_case。",
    "同事说用 tab，但我们这里一律用四个空格缩进，以后都这样。",
    'Translate "hello" to German. And from now on always answer me briefly.',
    "We never commit generated files in this repo, remember that.",
    "The log is noise. Rule for this project: every migration needs a down script.",
    "Ab jetzt immer auf Deutsch antworten.",
    "don't ever push directly to main, always open a PR",
    "From now on, run the integration tests before you say you are done.",
    "记住：这个仓库的分支名都以 feat/ 开头。",
    "Going forward always add a type annotation to new functions.",
    "Here's the mail from Tom:\n\"please use jest\"\nI don't agree: we always use vitest here.",
    "No, not like the doc. In this project we always use dataclasses, never dicts.",
    "That snippet was from a blog. For us: always use async clients from now on.",
    "帖子里的做法不行。我们的规则：提交信息一律用英文。",
    "Please remember for next time: the staging host is read-only, never write to it.",
    "From now on always put tests next to the code, whatever the old README says.",
    "Ok. In future please always ask before you add a dependency.",
    "Never mind the quote above. Always log in UTC.",
    "以后改完代码都要先跑 ruff 再提交。",
]


def ordered(text):
    """The lasting orders among a person's own words; a question is none."""
    sentences = re.split(r"(?<=[.!?。！？])\s*", own_words(text))
    return [one for one in sentences if ORDER.search(one) and not re.search(r"[?？]|\blint rule\b|吗", one)]


@pytest.mark.parametrize("text", ANOTHERS)
def test_what_is_quoted_pasted_or_reported_is_not_their_own(text):
    assert ordered(text) == []


@pytest.mark.parametrize("text", OWN)
def test_a_wish_beside_it_is(text):
    assert own_words(text).strip()


def test_what_is_own_stands_in_the_text_as_it_stands_there():
    text = "Tom wrote: always use tabs.\n\nI use spaces here. Keep it.\n```\nnever\n```\n"
    own = [line.strip() for line in own_words(text).splitlines() if line.strip()]
    assert own == ["I use spaces here. Keep it."]


def test_an_order_stands_outside_of_what_it_quotes():
    assert "always" not in outside_quotes('Translate "always push" now')
