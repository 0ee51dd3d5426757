"""Types and summaries."""

import pytest

from tests.core.memories.merging.test_bodies import Model
from ultron_core.llm.tokens import count_tokens
from ultron_core.memories import classify_memory, embedding_text, summarize_memory


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("ModuleNotFoundError: No module named 'pandas'", "error"),
        ("The build hangs when two workers share one cache folder.", "error"),
        ("容器没有外网，pip install 失败", "error"),
        ("A GitHub token was leaked in the build log.", "security"),
        ("排序参数存在 SQL 注入漏洞", "security"),
        ("The cache has a memory leak after an hour.", "pattern"),
        ("No, use uv instead of pip", "correction"),
        ("不对，应该用 psycopg", "correction"),
        ("The user prefers short answers.", "preference"),
        ("以后都用中文回答", "preference"),
        ("Window seats at the back are free on Tuesday flights.", "life"),
        ("周二航班后排的靠窗座位通常有空位", "life"),
        ("Batching requests by tenant keeps the queue short.", "pattern"),
    ],
)
def test_types_by_rule(content, expected):
    assert classify_memory(content) == expected


def test_a_model_may_decide_the_type():
    model = Model(memory_type="life")
    assert classify_memory("Anything", llm=model) == "life"
    assert model.stages == ["classify"]


LONG = "The importer stops at the first broken row. " * 60


def test_summaries_stay_within_real_token_counts():
    summary = summarize_memory(LONG, LONG, LONG)
    assert count_tokens(summary.l0) <= 64
    assert count_tokens(summary.l1) <= 256
    assert "\n" not in summary.l0
    assert "Resolution:" in summary.l1


def test_a_short_memory_is_summarised_whole_in_its_language():
    summary = summarize_memory("容器没有外网。", "Docker", "配置代理。")
    assert summary.l0 == "容器没有外网。配置代理。"
    assert summary.l1 == "容器没有外网。\n背景：Docker\n解决办法：配置代理。"


def test_a_correction_that_is_its_own_resolution_is_said_once():
    summary = summarize_memory("The user corrected the agent: No, use uv.", "", "No, use uv.")
    assert summary.l0 == summary.l1 == "The user corrected the agent: No, use uv."


def test_the_words_of_a_model_are_cut_to_the_limit():
    model = Model(summary_l0="word " * 200, overview_l1="word " * 900)
    summary = summarize_memory("x", "", "", model, l0_max_tokens=10, l1_max_tokens=20)
    assert count_tokens(summary.l0) <= 10
    assert count_tokens(summary.l1) <= 20


def test_the_embedded_text_holds_all_fields_and_favours_the_content():
    assert embedding_text("error", "a  b", "c", "d") == "a b\nd\nc"
    text = embedding_text("error", "x" * 5000, "y" * 5000, "z" * 5000)
    assert len(text) <= 1500
    assert text.count("x") > text.count("z") > text.count("y") > 0
    assert embedding_text("error", "x" * 5000, "", "").count("x") == 1498
