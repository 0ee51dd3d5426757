"""Redaction of rows: what is looked at, what is remembered, and the same bytes however many processes did it."""

import json
from dataclasses import replace
from random import Random

from tests.support.rows import MANIFEST, assistant, candidate, result, user
from ultron_core.llm.tokens import token_counter
from ultron_core.models import ToolCall
from ultron_core.redaction import PresidioRedactor
from ultron_core.sft import BuildConfig, Tools, Workers, build_rows, write_dataset
from ultron_core.sft.clean import Cleaned, Texts, clean_batch

TOOL = {
    "type": "function",
    "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}},
}


def tools(redact=list, version="1"):
    return Tools(redact, lambda text: "hunter2" in text, token_counter(), version=version)


def real():
    redactor = PresidioRedactor()
    return Tools(redactor.redact_json_many, lambda text: False, token_counter(), version=redactor.version)


def texts(*messages, declared=(), topic="", number=1):
    return Texts(f"s{number}", json.dumps(messages), topic, messages, declared)


def test_what_every_row_has_is_not_looked_at_but_every_text_is():
    seen = []
    clean_batch(
        tools(lambda values: seen.extend(values) or values),
        [
            texts(
                {"role": "user", "content": "-p"},
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [
                        {
                            "id": "call_00001",
                            "type": "function",
                            "function": {"name": "f", "arguments": {"q": "x"}},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "call_00001", "name": "f", "content": "y"},
                {"role": "assistant", "content": "done", "reasoning_content": "thought"},
                topic="a topic",
            )
        ],
    )
    assert seen == [
        {
            "content": [
                ["-p"],
                {"calls": [{"name": "f", "arguments": {"q": "x"}}]},
                {"name": "f", "content": "y"},
                {"content": "done", "reasoning_content": "thought"},
            ],
            "topic": "a topic",
        }
    ]


def test_texts_are_put_back_where_they_were_with_one_numbering():
    said = (
        {"role": "user", "content": "I am called Anna Whitfield, mail anna@example.org"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": "call_00001",
                    "type": "function",
                    "function": {"name": "mail", "arguments": {"to": "bob@example.org"}},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_00001", "name": "mail", "content": "sent to bob@example.org"},
    )
    (clean,) = clean_batch(real(), [texts(*said, topic="mail to anna@example.org")])
    assert (
        "<EMAIL_ADDRESS>" in clean.messages[0]["content"] and "Whitfield" not in clean.messages[0]["content"]
    )
    call = clean.messages[1]["tool_calls"][0]
    assert call == {
        **call,
        "id": "call_00001",
        "function": {"name": "mail", "arguments": {"to": "<EMAIL_ADDRESS_2>"}},
    }
    assert clean.messages[2] == {**said[2], "content": "sent to <EMAIL_ADDRESS_2>"}
    assert clean.topic == "mail to <EMAIL_ADDRESS>"


def test_the_name_of_a_tool_tells_that_its_result_is_a_secret():
    message = {
        "role": "tool",
        "tool_call_id": "call_00001",
        "name": "db_password",
        "content": "correct-Horse-7",
    }
    (clean,) = clean_batch(real(), [texts(message)])
    assert "correct-Horse-7" not in json.dumps(clean.messages)


def test_tool_schemas_that_hold_nothing_are_looked_at_once():
    seen = []
    both = tools(lambda values: seen.extend(values) or values)
    for number in range(3):
        clean_batch(both, [texts({"role": "user", "content": "hi"}, declared=(TOOL,), number=number)])
    assert seen.count([TOOL]) == 1 and not any("tools" in value for value in seen if isinstance(value, dict))


def test_tool_schemas_that_hold_something_are_part_of_the_row():
    leaky = {**TOOL, "function": {**TOOL["function"], "description": "as anna@example.org asked"}}
    (clean,) = clean_batch(
        real(), [texts({"role": "user", "content": "ask anna@example.org"}, declared=(leaky,))]
    )
    assert clean.tools[0]["function"]["description"] == "as <EMAIL_ADDRESS> asked"
    assert clean.messages[0]["content"] == "ask <EMAIL_ADDRESS>"


def test_a_secret_that_stays_is_seen_and_what_is_remembered_comes_back_as_it_was():
    (clean,) = clean_batch(tools(), [texts({"role": "user", "content": "hunter2, 端"}, topic="t")])
    assert clean.secret and clean.tokens > 0
    assert Cleaned.unpacked(clean.packed()) == clean
    assert list(Cleaned.unpacked(clean.packed()).messages[0]) == ["role", "content"], "keys in their order"


def test_other_texts_or_rules_are_another_entry():
    one = texts({"role": "user", "content": "a"}, topic="t")
    assert len({one.digest("1"), one.digest("2"), replace(one, topic="u").digest("1")}) == 3


class Memory(dict):
    def recall(self, digests):
        return {key: self[key][1] for key, digest in digests.items() if self.get(key, (b"",))[0] == digest}

    def remember(self, entries):
        self.update({key: (digest, packed) for key, digest, packed in entries})


def people(count):
    """Rows with a person each, three batches of them."""
    rng = Random(3)
    given = ("Anna", "Peter", "Maria")
    words = [f"word{number}" for number in range(40)]
    return [
        candidate(
            number,
            user(f"My name is {rng.choice(given)} Whitfield. {' '.join(rng.choices(words, k=30))}"),
            assistant("", ToolCall("a", "find", {"q": " ".join(rng.choices(words, k=9))})),
            result("a", "mail p.whitfield@example.org"),
            assistant(f"Found it, {' '.join(rng.choices(words, k=30))}."),
            session=f"s{number}",
        )
        for number in range(count)
    ]


def files(folder, candidates, workers, memory=None):
    with workers:
        built = build_rows(candidates, BuildConfig(), workers, memory=memory)
    write_dataset(folder, built, MANIFEST)
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_one_and_four_workers_shuffled_rows_and_a_second_export_give_the_same_bytes(tmp_path):
    candidates, memory = people(140), Memory()
    one = files(tmp_path / "one", candidates, Workers(real), memory)
    assert len(memory) == 140 and b"Whitfield" not in b"".join(one.values())
    shuffled = Random(1).sample(candidates, 140)
    four = files(tmp_path / "four", shuffled, Workers(real, 4, anew=real))
    assert four == one
    known = tools(nothing_left, version=real().version)
    assert files(tmp_path / "again", shuffled, Workers(lambda: known), memory) == one


def nothing_left(values):
    raise AssertionError(f"{len(values)} rows were redacted again")
