"""What a person's turn does, by the coefficients that ship; none of these turns is one they were fitted on."""

import json
from importlib.resources import files

import pytest

from ultron_core.embeddings.local import local_embedder
from ultron_core.transcript.acts.features import HumanTurn, agent_act
from ultron_core.transcript.acts.reader import ACTS, ActsModel, load_model, read_acts, read_many

DONE = agent_act("I fixed the login and all tests pass now.", ("Edit", "Bash"))
DONE_ZH = agent_act("登录问题已经修复。", ("Edit",))


@pytest.mark.parametrize(
    ("text", "before", "act"),
    [
        ("it still shows the same error when I log in", DONE, "objection"),
        ("no, that's wrong, put it back", DONE, "objection"),
        ("还是报错，登录不了", DONE_ZH, "objection"),
        ("不对，你改错地方了", DONE_ZH, "objection"),
        ("never commit to master in this repo, we always open a pull request", DONE, "rule"),
        ("from now on always run the linter before every commit", DONE, "rule"),
        ("这个项目里一律用 yarn，不要用 npm", DONE_ZH, "rule"),
        ("以后每次改完代码都要先跑测试", DONE_ZH, "rule"),
        ("what is the capital of Peru?", "", "instruction"),
        ("add a dark mode to the settings page", "", "instruction"),
        ("帮我找一家便宜的酒店", "", "instruction"),
        ("my order number is W-88213", "Could you give me your order number?", "fact"),
        ("我养了两只猫，平时喜欢爬山", "你平时喜欢做什么？", "fact"),
        ("yes, please go ahead", "Shall I book it?", "acceptance"),
        ("可以，开始吧", "要我开始修改吗？", "acceptance"),
        ("thank you so much!", "You are welcome, have a nice day.", "praise"),
        ("谢谢你的帮助，再见", "祝您旅途愉快！", "praise"),
        ("hello!", "", "other"),
    ],
)
def test_what_a_turn_does(text, before, act):
    assert act in read_acts(text, before).labels


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("never mind, use the second one", "Which of the two?"),
        ("why does it always print two lines?", ""),
        ("I've never been to Spain", "Have you been to Spain?"),
        ("我从来没去过云南", "你去过云南吗？"),
        ("这次先用方案一", "方案一还是方案二？"),
    ],
)
def test_words_of_a_rule_do_not_make_one(text, before):
    assert "rule" not in read_acts(text, before).labels


def test_the_same_words_mean_another_thing_after_another_act():
    after_work = read_acts("the second page is empty", DONE).probabilities
    opening = read_acts("the second page is empty").probabilities
    assert after_work["objection"] > 2 * opening["objection"]


def test_with_vectors_an_objection_without_cue_words_is_likelier_than_in_a_question():
    turns = [HumanTurn("the sidebar is gone", DONE), HumanTurn("show me the sidebar code")]
    vectors = local_embedder().embed([turn.text for turn in turns])
    complaint, question = read_many(turns, vectors)
    assert complaint.probabilities["objection"] > 2 * question.probabilities["objection"]
    assert question.labels == ("instruction",)


def test_many_are_read_as_each_by_itself():
    turns = [HumanTurn("use tabs", DONE), HumanTurn("还是不行", DONE_ZH, interrupted=True), HumanTurn("")]
    alone = [read_acts(t.text, t.before, interrupted=t.interrupted) for t in turns]
    assert read_many(turns) == alone
    assert read_many([]) == []


def test_other_stands_alone_and_every_turn_has_an_act():
    for text in ("", "hm", "!!!", "好", "haha nice to hear, thanks", "x" * 5000, "```\nls\n```"):
        found = read_acts(text)
        assert found.labels
        assert found.labels == ("other",) or "other" not in found.labels
        assert list(found.labels) == [act for act in ACTS if act in found.labels]
        assert all(0 <= p <= 1 for p in found.probabilities.values())


def test_a_model_made_for_other_features_is_refused():
    raw = json.loads(files("ultron_core.transcript.acts").joinpath("model.json").read_text("utf-8"))
    assert len(ActsModel.from_json(raw).index) == len(load_model().index)
    with pytest.raises(ValueError, match="training/acts"):
        ActsModel.from_json({**raw, "dense": raw["dense"][1:]})
