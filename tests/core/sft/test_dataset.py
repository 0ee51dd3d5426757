"""From candidates to a published folder: curation, files, hashes, and what comes back from them."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from ultron_core.errors import ExportError
from ultron_core.models import Message, Metric, QualityLabel, QualitySummary, ToolCall
from ultron_core.sft import (
    BuildConfig,
    Candidate,
    build_index,
    build_rows,
    content_hash,
    counts_by_reason,
    diff_datasets,
    read_rows,
    validate_rows,
    verify_dataset,
    write_dataset,
)

ANSWER = "The capital of {0} is {1}. It lies on a river and has had that name for many centuries, as far as we know."
MANIFEST = {
    "name": "test",
    "version": "1",
    "created_at": "2026-01-01T00:00:00+00:00",
    "config": {"min_quality_score": 0.8, "tool_output_max_tokens": 2048, "max_tokens": 32768},
}


def candidate(number, question, answer, *, score=0.9, session="s1", calls=()):
    summary = QualitySummary(score, 0.5, 0.9, "success", "qa")
    messages = [Message("user", question)]
    for call in calls:
        messages += [
            Message("assistant", "", tool_calls=(call,), origin="model"),
            Message("tool", "ok", tool_call_id=call.id, origin="tool"),
        ]
    messages.append(Message("assistant", answer, origin="model"))
    return Candidate(
        segment_id=f"seg-{number:03}",
        messages=tuple(messages),
        label=QualityLabel(summary, {"goal": Metric(1.0, 1.0)}, "offline:test"),
        topic=question,
        tools=(),
        harness="openai",
        session_key=session,
        agent_id="a",
        session_id="00000000-0000-0000-0000-000000000001",
        start_line=1,
        end_line=len(messages),
        redaction_version="1",
    )


def build(candidates, config=None, *, eval_index=None, redact=lambda v: v, has_secret=lambda t: False):
    return build_rows(
        candidates,
        config or BuildConfig(),
        redact=redact,
        has_secret=has_secret,
        count_tokens=lambda text: len(text.split()) or 1,
        eval_index=eval_index,
    )


@pytest.fixture
def candidates():
    pairs = [("France", "Paris"), ("Spain", "Madrid"), ("Japan", "Tokyo"), ("Peru", "Lima")]
    return [
        candidate(
            i,
            f"What is the capital of {country}, and why was just that town chosen?",
            ANSWER.format(country, town) + f" {town} " * i,
            session=f"s{i}",
            calls=[ToolCall("x", f"look_up_{i}", {"q": country} if i % 2 else {"id": i})],
        )
        for i, (country, town) in enumerate(pairs)
    ]


def test_exact_and_near_duplicates_lose_to_the_better_row():
    text = " ".join(f"word{i}" for i in range(120))
    built = build(
        [
            candidate(1, "q", text, score=0.9),
            candidate(2, "q", text, score=0.95),
            candidate(3, "q", text + " and one more", score=0.85),
            candidate(4, "something else entirely", "a wholly different answer of its own kind"),
        ]
    )
    assert [row.id for row in built.rows] == ["seg-002", "seg-004"]
    assert counts_by_reason(built.rejects) == {"exact_duplicate": 1, "near_duplicate": 1}


def test_rows_do_not_depend_on_the_order_of_candidates(candidates):
    assert build(candidates) == build(candidates[::-1])


def test_a_row_that_still_holds_a_secret_is_rejected(candidates):
    built = build(candidates, has_secret=lambda text: "Tokyo" in text)
    assert counts_by_reason(built.rejects) == {"secret_after_redaction": 1}


def test_redaction_reaches_arguments(candidates):
    def redact(value):
        return json.loads(json.dumps(value).replace("Spain", "<PLACE>"))

    row = next(r for r in build(candidates, redact=redact).rows if r.id == "seg-001")
    assert "Spain" not in json.dumps(row.messages)
    assert row.messages[1]["tool_calls"][0]["function"]["arguments"] == {"q": "<PLACE>"}


def test_too_long_rows_are_left_out_never_trimmed(candidates):
    built = build(candidates, BuildConfig(max_tokens=10))
    assert built.rows == ()
    assert counts_by_reason(built.rejects) == {"too_long": 4}


def test_rows_that_contain_an_evaluation_text_are_left_out(candidates):
    index = build_index([("exam", "What is the capital of Peru, and why was just that town chosen")])
    built = build(candidates, eval_index=index)
    assert [r.segment_id for r in built.rejects if r.reason == "in_evaluation_set"] == ["seg-003"]


def test_a_group_never_moves_between_splits(candidates):
    many = [
        replace(c, segment_id=f"{c.segment_id}-{i}", session_key=f"k{i}")
        for i, c in enumerate(candidates * 1)
    ]
    first = {r.group_key: r.split for r in build(many, BuildConfig(validation_share=0.5)).rows}
    second = {r.group_key: r.split for r in build(many[:2], BuildConfig(validation_share=0.5)).rows}
    assert all(first[key] == split for key, split in second.items())


def test_the_folder_reads_back_exactly_and_passes_its_own_checks(candidates, tmp_path):
    built = build(candidates)
    assert validate_rows(built.rows) == []
    manifest = write_dataset(tmp_path / "v1", built, MANIFEST)
    assert verify_dataset(tmp_path / "v1") == []
    assert manifest["rows"] == 4 and manifest["content_hash"] == content_hash(built.rows)
    back = {row["id"]: row for row in read_rows(tmp_path / "v1")}
    for row in built.rows:
        assert back[row.id]["messages"] == [dict(m) for m in row.messages]
        assert back[row.id]["split"] == row.split
    # different tools never pad each other's arguments with nulls
    arguments = [
        m["tool_calls"][0]["function"]["arguments"] for r in back.values() for m in r["messages"][1:2]
    ]
    assert sorted(map(str, arguments)) == sorted(
        ["{'id': 0}", "{'q': 'Spain'}", "{'id': 2}", "{'q': 'Peru'}"]
    )


def test_the_same_rows_give_the_same_bytes(candidates, tmp_path):
    one = write_dataset(tmp_path / "a" / "v1", build(candidates), MANIFEST)
    two = write_dataset(tmp_path / "b" / "v1", build(candidates[::-1]), MANIFEST)
    assert one["files"] == two["files"]


def test_parquet_columns_are_json_lists_and_no_reserved_names(candidates, tmp_path):
    write_dataset(tmp_path / "v1", build(candidates), MANIFEST)
    schema = pq.read_schema(tmp_path / "v1" / "data" / "train-00000-of-00001.parquet")
    assert "json" in str(schema.field("messages").type)
    assert not set(schema.names) & {
        "prompt",
        "completion",
        "text",
        "system",
        "query",
        "source",
        "model",
        "label",
    }


def test_flavours_hold_the_same_rows_as_strings(candidates, tmp_path):
    built = build(candidates)
    write_dataset(tmp_path / "v1", built, MANIFEST)
    flavours = tmp_path / "v1" / "flavours"
    openai = [json.loads(line) for line in (flavours / "openai" / "train.jsonl").open(encoding="utf-8")]
    call = openai[0]["messages"][1]["tool_calls"][0]["function"]
    assert isinstance(call["arguments"], str) and json.loads(call["arguments"])
    share = [json.loads(line) for line in (flavours / "llamafactory" / "train.jsonl").open(encoding="utf-8")]
    assert [turn["from"] for turn in share[0]["conversations"]] == [
        "human",
        "function_call",
        "observation",
        "gpt",
    ]
    assert json.loads((flavours / "llamafactory" / "dataset_info.json").read_text())["ultron_train"]


def test_what_a_person_says_behind_a_result_keeps_the_turns_alternating(tmp_path):
    """Claude Code logs hold result and words in one turn; LLaMA-Factory drops rows that do not alternate."""
    asked = candidate(
        1, "Read it.", ANSWER.format("Peru", "Lima"), calls=[ToolCall("c", "read", {"path": "a"})]
    )
    messages = (*asked.messages[:-1], Message("user", "Quickly, please."), asked.messages[-1])
    write_dataset(tmp_path / "v1", build([replace(asked, messages=messages)]), MANIFEST)
    (file,) = [f for f in (tmp_path / "v1" / "flavours" / "llamafactory").glob("*.jsonl") if f.stat().st_size]
    turns = json.loads(file.read_text())["conversations"]
    assert [turn["from"] for turn in turns] == ["human", "function_call", "observation", "gpt"]
    assert turns[2]["value"] == "ok\n\nQuickly, please."


def test_a_changed_file_is_found(candidates, tmp_path):
    write_dataset(tmp_path / "v1", build(candidates), MANIFEST)
    (tmp_path / "v1" / "report.md").write_text("edited")
    (tmp_path / "v1" / "extra.txt").write_text("new")
    assert verify_dataset(tmp_path / "v1") == [
        "report.md does not match its hash in the manifest",
        "extra.txt is not in the manifest",
    ]


def test_a_diff_names_what_came_and_went(candidates, tmp_path):
    write_dataset(tmp_path / "v1", build(candidates[:3]), MANIFEST)
    write_dataset(tmp_path / "v2", build(candidates[1:]), MANIFEST)
    diff = diff_datasets(tmp_path / "v1", tmp_path / "v2")
    assert (diff.added, diff.removed, diff.changed, diff.moved_split) == (("seg-003",), ("seg-000",), (), ())


def test_a_folder_that_cannot_be_written_gives_one_clear_error(candidates, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ExportError, match="ULTRON_EXPORTS_DIR"):
        write_dataset(tmp_path / "file" / "v1", build(candidates), MANIFEST)


def test_validation_names_the_broken_rule(candidates):
    row = build(candidates).rows[0]
    open_call = replace(row, messages=row.messages[:2] + row.messages[3:])
    assert any("call without its result" in problem for problem in validate_rows([open_call]))
    twice = [row, replace(row, split="validation", id="other")]
    assert {p.split(":")[-1].strip() for p in validate_rows(twice)} >= {
        "two rows have the same content",
        f"group {row.group_key} is in both splits",
    }
