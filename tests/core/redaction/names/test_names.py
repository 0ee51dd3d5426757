"""Names in English, Chinese and mixed text; whole JSON values."""

from __future__ import annotations

import json

import pytest

from ultron_core.redaction import (
    REDACTION_VERSION,
    PresidioRedactor,
    Redactor,
    redact_json,
    redact_text,
    redact_texts,
)
from ultron_core.redaction.names import analyzer, presidio
from ultron_core.redaction.names.english import bare_start


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Please ask John Smith about the invoice.", "John Smith"),
        ("His doctor, Samantha Davies, has prescribed it.", "Samantha Davies"),
        ("主治医生是张建国，负责治疗。", "张建国"),
        ("我叫欧阳建国，请联系我。", "欧阳建国"),
        ("这个问题由 Peter Johnson 和王丽华负责。", "Peter Johnson"),
        ("这个问题由 Peter Johnson 和王丽华负责。", "王丽华"),
        ("Name: Ella Snider", "Ella Snider"),
        ("My uncle was called Oyelaran.", "Oyelaran"),
        ("My colleague's name is Tiverton Vask.", "Tiverton Vask"),
        # in lower case and in capitals, beside a given name
        ("follow up with patricia desrosiers in two months", "patricia desrosiers"),
        ("PLEASE ASK PATRICIA DESROSIERS ABOUT IT.", "PATRICIA DESROSIERS"),
        # what spaCy's small model takes for a product or nothing
        ("Hey Ngozi, how was the trip?", "Ngozi"),
        ("Reviewed-by: K. Kristjánsdóttir", "Kristjánsdóttir"),
    ],
)
def test_a_name_goes(text, gone):
    result = redact_text(text)
    assert gone not in result.text
    assert "<PERSON>" in result.text


@pytest.mark.parametrize(
    "text",
    [
        "Install Docker and run Django on Ubuntu.",
        "Microsoft released it in London on Friday.",
        "def get_user(name): return User.objects.get(name=name)",
        "北京的阿里云服务器在星期五重启了。",
        "Read the README, then Fix the Error.",
        "if x: pass\nelif elem in found: stop",
        "本地石油公司的技术部门在杭州。",
        "请经纪人和麻醉科确认。",
    ],
)
def test_organisations_places_dates_and_code_stay(text):
    assert redact_text(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        # places, peoples and what they are part of
        "The office moved from Sapporo to Istanbul, then to the Alton Airport.",
        "They played at the Yale Bowl before the Toronto Raptors came to town.",
        "The Whig Party met at the Albion Stadium.",
        "SELECT region FROM country WHERE name = 'Angola'",
        "[('English', 60), ('Balochi', 4), ('Dari', 1)]",
        # words of programs, typefaces and tables
        "Deps: :grpcbox, :jason, :langchain",
        "F821 undefined name 'Eq'",
        "It returns a Promise<void> when the file is gone.",
        "if isinstance(expr, Piecewise): return\n# Piecewise conditions do not depend on it",
        "      June 2023\nSu Mo Tu We Th Fr Sa",
        "% Total  % Received % Xferd  Average Speed\n   Dload  Upload   Total",
    ],
)
def test_what_an_encyclopaedia_or_a_tool_prints_stays(text):
    assert redact_text(text).text == text


@pytest.mark.parametrize("tool", ["Jira", "Kotlin", "Supabase", "Grafana", "Ollama", "Bootstrap", "Mac"])
@pytest.mark.parametrize(
    "frame",
    [
        "{} is now configured with the new theme.",
        "{} fails on startup. Restart {} and try again.",
        "我们用 {} 来做这个，{} 已经更新到最新版本。",
        "这个问题是由于 {} 与最新版本不兼容导致的。",
    ],
)
def test_a_program_that_stands_alone_is_nobody(frame, tool):
    said = frame.replace("{}", tool)
    assert redact_text(said).text == said


def test_a_person_whose_surname_is_a_program_goes_with_it():
    assert (
        redact_text("Please ask Susan Rocket about the invoice.").text
        == "Please ask <PERSON> about the invoice."
    )


def test_the_quotation_mark_behind_a_name_is_no_part_of_it():
    assert redact_text("[('Mary Whitfield', 3)]").text == "[('<PERSON>', 3)]"


def test_a_word_of_two_parts_before_a_name_is_no_part_of_it():
    told = "The talk by ex-Minister Seppinen was long."
    assert told[bare_start(told, 12, 32) : 32] == "Seppinen"
    whole = ("von Braun", "d'Arc", "anna-maria", "Anne-Marie")
    assert [bare_start(name, 0, len(name)) for name in whole] == [0] * 4


def test_the_messages_of_this_program_name_nobody():
    told = "a.jsonl holds no message that Ultron can read: 24 lines bad_json. See docs/formats.md."
    assert redact_text(told).text == told


def test_a_person_keeps_a_name_that_is_also_a_place_or_a_thing():
    told = "Sydney Brown met Peter Palace, and Mary Hall wrote to them."
    assert redact_text(told).text == "<PERSON> met <PERSON_2>, and <PERSON_3> wrote to them."


@pytest.mark.parametrize(
    "text",
    [
        "在 health-backend 中：`common` 模块是一个库模块，不应该用 Spring Boot 的插件打包，这会失败。",
        "在 yuichat 中，用户报告了一个错误：Error saving settings",
        "at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)",
        "Do you know why yuichat cannot load the avatar?",
    ],
)
def test_the_network_is_asked_of_words_in_letters_that_it_knows(text):
    assert redact_text(text).text == text


@pytest.mark.parametrize("wish", ["Always use `uv add` in this repository.", "Never push to main."])
def test_a_wish_after_the_user_is_nobody_s_name(wish):
    told = f"Standing wish of the user: {wish}"
    assert redact_text(told).text == told
    assert redact_text("User: Ella Snider").text == "User: <PERSON>"


def test_a_name_found_once_goes_everywhere():
    assert "Borkowski" not in redact_text("Directed by: Anna Borkowski\nAnd then Borkowski left.").text


def test_redacting_twice_changes_nothing_with_names():
    text = "Maria Lopez told Peter about it. 张伟明说好的。Mail m.lopez@example.org, thanks, Peter Brown"
    once = redact_text(text)
    assert redact_text(once.text).text == once.text


def test_a_batch_gives_what_single_calls_give():
    texts = ["Ask John Smith.", "no name here", "由王丽华医生负责。", "a@b.com"]
    assert redact_texts(texts) == [redact_text(text) for text in texts]


def test_json_keeps_structure_ids_and_numbers():
    value = {
        "id": "16907998-e101-473c-8fff-2a72a8718e8e",
        "tool_call_id": "call_abc",
        "n": 13812345678,
        "ok": None,
        "items": ["a@b.com", {"password": "hunter2", "max_tokens": "4096"}],
        "arguments": json.dumps({"to": "a@b.com", "phone": 13812345678, "who": "由王丽华医生负责"}),
        "k" + "@b.com": 1,
    }
    redacted, findings = redact_json(value)
    assert redacted["id"] == value["id"]
    assert redacted["tool_call_id"] == "call_abc"
    assert (redacted["n"], redacted["ok"]) == (13812345678, None)
    assert redacted["items"] == [
        "<EMAIL_ADDRESS>",
        {"password": "<REDACTED_CREDENTIAL>", "max_tokens": "4096"},
    ]
    inner = json.loads(redacted["arguments"])
    assert inner["to"] == "<EMAIL_ADDRESS>"
    assert inner["phone"] == 13812345678
    assert "王丽华" not in inner["who"]
    assert "<EMAIL_ADDRESS_2>" in redacted
    assert {f.entity for f in findings} == {"EMAIL_ADDRESS", "REDACTED_CREDENTIAL", "PERSON"}
    assert redact_json(redacted)[0] == redacted


def test_a_secret_under_a_structural_key_goes():
    key = "ghp" + "_" + "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG7"
    assert redact_json({"id": key})[0] == {"id": "<GITHUB_TOKEN>"}


def test_the_shared_redactor_is_one_of_the_published_protocol():
    assert isinstance(PresidioRedactor(), Redactor)
    assert PresidioRedactor().version == REDACTION_VERSION


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Please ask Nikolaj Petrussen about it.", "Nikolaj"),
        ("我叫欧阳建国，请联系我。", "欧阳建国"),
        ("Oyelaran has prescribed it.", "Oyelaran"),
    ],
)
def test_without_the_recogniser_whatever_may_be_a_name_goes(text, gone):
    assert gone not in PresidioRedactor(recogniser=False).redact_text(text).text


def test_without_the_recogniser_ordinary_words_code_and_ids_stay():
    text = "The build of src/App.tsx failed: TypeError in getUserName()\nRun `npm test`. Then push to GitHub."
    assert PresidioRedactor(recogniser=False).redact_text(text).text == text


def test_rows_say_that_they_were_redacted_without_the_recogniser():
    assert PresidioRedactor(recogniser=False).version == f"{REDACTION_VERSION}-coarse"
    assert PresidioRedactor(["acme"], recogniser=False).version.startswith(f"{REDACTION_VERSION}-coarse+")


def test_words_that_logs_hold_once_do_not_fill_the_memory(monkeypatch):
    loaded = []

    def build():
        models = analyzer.build_analyzer()
        loaded.append(models[0])
        return models

    monkeypatch.setattr(presidio, "build_analyzer", build)
    letters = "bcdfghjklmnprstvwz"
    strange = [f"{a}o{b}i{c}ab".capitalize() for a in letters for b in letters for c in letters[:4]]
    texts = [f"Please ask {name} about the invoice of {name[::-1].capitalize()}." for name in strange]
    plain = [one.text for one in PresidioRedactor().redact_texts(texts)]
    assert len(loaded) == 1 and loaded[0].words > 2_500
    monkeypatch.setattr(presidio, "_MOST_WORDS", 1_200)
    bounded = PresidioRedactor()
    said = [bounded.redact_texts(texts[at : at + 50]) for at in range(0, len(texts), 50)]
    assert [one.text for some in said for one in some] == plain
    # a batch is read to its end before the words are forgotten
    assert max(model.words for model in loaded[1:]) < 1_200 + 200
    assert len(loaded) > 4
