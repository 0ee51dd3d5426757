"""Handed-in text becomes memories; nothing of it is lost."""

import random
import re

import pytest

from ultron_core.memories import extract_from_text

NOTE = """
Investigation:
1. pip install failed inside Docker
2. Error: Could not find a version that satisfies...
3. Cause: container has no outbound network
4. Fix: configure a proxy or use --network host
"""
NOTE_ZH = """排查记录：
1. Docker 内 pip install 失败
2. 错误：找不到满足条件的版本
3. 原因：容器没有外网
4. 解决：配置代理或使用 --network host
"""


def test_a_numbered_investigation_is_one_memory():
    (draft,) = extract_from_text(NOTE)
    assert (
        draft.content == "Could not find a version that satisfies... Cause: container has no outbound network"
    )
    assert draft.context == "Investigation pip install failed inside Docker"
    assert draft.resolution == "configure a proxy or use --network host"
    assert draft.memory_type == "error"
    assert [item.start_line for item in draft.evidence] == [2, 3, 4, 5, 6]


def test_the_same_in_chinese():
    (draft,) = extract_from_text(NOTE_ZH)
    assert "找不到满足条件的版本" in draft.content
    assert "容器没有外网" in draft.content
    assert draft.resolution == "配置代理或使用 --network host"


def test_labels_on_one_line():
    (draft,) = extract_from_text(
        "Error: port 5432 is taken. Cause: an old server runs. Fix: stop it with pg_ctl stop."
    )
    assert draft.resolution == "stop it with pg_ctl stop."


def test_two_problems_are_two_memories():
    drafts = extract_from_text(
        "Error: disk full\nFix: prune images\n\nError: no route to host\nFix: join the VPN\n"
    )
    assert [draft.resolution for draft in drafts] == ["prune images", "join the VPN"]


def test_every_sentence_of_a_long_text_appears_in_some_memory():
    facts = [f"Service number {i} reads its limits from limits_{i}.toml at start." for i in range(300)]
    paragraphs = [" ".join(facts[i : i + 50]) for i in range(0, 300, 50)]
    drafts = extract_from_text("\n\n".join(paragraphs))
    together = " ".join(draft.content for draft in drafts)
    assert all(fact in together for fact in facts)
    assert len(drafts) >= 12


def test_greetings_alone_are_nothing():
    assert extract_from_text("Hello team!\n\nThanks a lot!\n") == []
    assert extract_from_text("   \n") == []


def test_evidence_quotes_stand_on_their_lines():
    lines = NOTE.splitlines()
    for draft in extract_from_text(NOTE):
        for item in draft.evidence:
            assert item.quote in lines[item.start_line - 1]


LINES = [
    "The build needs 4 GB of memory.",
    "Error: pip install failed with code 2",
    "Cause: no network in container 7",
    "Fix: use --network host",
    "## Setup of node 12",
    "Steps on host alpha:",
    "- restart service beta",
    "Environment: Ubuntu 22.04 on host delta",
    "数据库端口是 5433。",
    "原因：容器 7 没有网络",
    "步骤如下：",
    "解决：先执行 make clean",
]
LABELS = {"Error", "Cause", "Fix", "Environment", "原因", "解决"}


@pytest.mark.parametrize("seed", range(60))
def test_no_word_is_lost_however_problems_headings_and_notes_are_mixed(seed):
    choose = random.Random(seed)
    text = "".join(choose.choice(LINES) + choose.choice(["\n", "\n\n"]) for _ in range(choose.randint(1, 12)))
    drafts = extract_from_text(text)
    together = " ".join(f"{d.content} {d.context} {d.resolution}" for d in drafts)
    words = set(re.findall(r"[A-Za-z]{3,}|\d{2,}|[\u4e00-\u9fff]{2}", text)) - LABELS
    assert {word for word in words if word not in together} == set()


def test_a_model_is_shown_every_line_of_a_long_text_with_its_number():
    shown = []

    class Reader:
        model_id = "reader"

        def complete(self, messages, schema, *, stage=""):
            shown.append(messages[-1]["content"])
            return schema(memories=[])

    lines = [f"Service number {i} reads its limits from limits_{i}.toml at start." for i in range(1500)]
    assert extract_from_text("\n".join(lines), Reader()) == []
    assert len(shown) > 1
    assert all(f"[{i}] {line}" in "\n".join(shown) for i, line in enumerate(lines, start=1))
