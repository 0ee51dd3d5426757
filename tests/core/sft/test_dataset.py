"""From candidates to a published folder: curation, files, hashes, and what comes back from them."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from tests.support.rows import MANIFEST, asked, build, four_questions, written
from ultron_core.errors import ExportError
from ultron_core.models import Message, ToolCall
from ultron_core.sft import (
    BuildConfig,
    Caps,
    Reject,
    build_index,
    content_hash,
    counts_by_reason,
    read_rows,
    verify_dataset,
    write_dataset,
)


@pytest.fixture
def candidates():
    return four_questions()


def test_exact_and_near_duplicates_lose_to_the_better_row():
    text = " ".join(f"word{i}" for i in range(120))
    built = build(
        [
            asked(1, "one question", text, score=0.9),
            asked(2, "one question", text, score=0.95),
            asked(3, "one question", text + " and one more", score=0.85),
            asked(4, "something else entirely", "a wholly different answer of its own kind"),
        ]
    )
    assert [row.id for row in built.rows] == ["seg-002", "seg-004"]
    assert counts_by_reason(built.rejects) == {"exact_duplicate": 1, "near_duplicate": 1}


def same(one, other):
    return list(one.rows) == list(other.rows) and list(one.rejects) == list(other.rejects)


def test_rows_do_not_depend_on_the_order_of_candidates(candidates):
    assert same(build(candidates), build(candidates[::-1]))


def test_a_row_that_still_holds_a_secret_is_rejected(candidates):
    built = build(candidates, has_secret=lambda text: "Tokyo" in text)
    assert counts_by_reason(built.rejects) == {"secret_after_redaction": 1}


def test_what_a_rejection_quotes_is_redacted_too():
    short = asked(1, "ask Spain 7", "All of it is done now.", continues=True)
    built = build([short], redact=lambda value: json.loads(json.dumps(value).replace("Spain", "<PLACE>")))
    assert [(r.reason, r.detail) for r in built.rejects] == [("fragment", "ask <PLACE> 7")]


def test_redaction_reaches_arguments(candidates):
    def redact(value):
        return json.loads(json.dumps(value).replace("Spain", "<PLACE>"))

    row = next(r for r in build(candidates, redact=redact).rows if r.id == "seg-001")
    assert "Spain" not in json.dumps(row.messages)
    assert row.messages[1]["tool_calls"][0]["function"]["arguments"] == {"q": "<PLACE>"}


def test_too_long_rows_are_left_out_never_trimmed(candidates):
    built = build(candidates, BuildConfig(max_tokens=10))
    assert list(built.rows) == []
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


def test_what_the_gate_refused_is_counted_too(candidates):
    refused = Reject("seg-900", "below_threshold", "", 0.2, "qa")
    built = build([refused, *candidates, refused.__class__("seg-901", "not_labelled", "", 0.0, "")])
    assert built.considered == 6 == len(built.rows) + len(built.rejects)
    assert counts_by_reason(built.rejects) == {"below_threshold": 1, "not_labelled": 1}


@pytest.mark.parametrize("caps", [Caps(session=2), Caps(task=2), Caps(task_type=2)])
def test_caps_keep_the_best_of_a_session_a_task_or_a_type(caps):
    words = [" ".join(f"{letter}{n}" for n in range(40)) for letter in "abc"]
    runs = [asked(n, "one question", text, score=0.9 + n / 100) for n, text in enumerate(words)]
    built = build(runs, BuildConfig(caps=caps))
    assert [row.id for row in built.rows] == ["seg-001", "seg-002"]
    assert [r.reason.rsplit("over_cap_")[1] for r in built.rejects] == [
        next(kind for kind in ("session", "task", "task_type") if getattr(caps, kind))
    ]


def test_runs_of_one_task_and_rows_of_one_session_are_in_one_split():
    texts = [" ".join(f"{letter}{n}" for n in range(40)) for letter in "abcdefgh"]
    runs = [asked(n, f"question {n // 2}", text, session=f"s{(n + 1) // 2}") for n, text in enumerate(texts)]
    rows = build(runs, BuildConfig(validation_share=0.5)).rows
    assert len(rows) == 8 and len({row.group_key for row in rows}) == 1 == len({row.split for row in rows})


def test_the_folder_reads_back_exactly_and_passes_its_own_checks(candidates, tmp_path):
    built = build(candidates)
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


def test_a_changed_topic_score_or_type_is_another_dataset(candidates):
    """The identity covers every column, not the texts alone."""
    before = content_hash(build(candidates).rows)
    first = candidates[0]
    summary = replace(first.label.summary, task_type="code")
    for changed in (
        replace(first, topic="another topic"),
        replace(first, label=replace(first.label, summary=summary)),
        replace(first, label=replace(first.label, labeler="offline:2")),
        replace(first, evidence="verified"),
    ):
        assert content_hash(build([changed, *candidates[1:]]).rows) != before


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
    read = asked(
        1, "Read it to me.", "Lima is the capital of Peru.", calls=[ToolCall("c", "read", {"path": "a"})]
    )
    messages = (*read.messages[:-1], Message("user", "Quickly, please."), read.messages[-1])
    write_dataset(tmp_path / "v1", build([replace(read, messages=messages)]), MANIFEST)
    (file,) = [f for f in (tmp_path / "v1" / "flavours" / "llamafactory").glob("*.jsonl") if f.stat().st_size]
    turns = json.loads(file.read_text())["conversations"]
    assert [turn["from"] for turn in turns] == ["human", "function_call", "observation", "gpt"]
    assert turns[2]["value"] == "ok\n\nQuickly, please."


def test_a_changed_file_is_found(candidates, tmp_path):
    write_dataset(tmp_path / "v1", build(candidates), MANIFEST)
    (tmp_path / "v1" / "report.md").write_text("edited")
    (tmp_path / "v1" / "extra.txt").write_text("new")
    assert verify_dataset(tmp_path / "v1") == [
        "rule 20: report.md does not match its hash in the manifest",
        "rule 20: extra.txt is not in the manifest",
    ]


def test_a_folder_that_breaks_a_rule_is_not_published(candidates, tmp_path):
    with pytest.raises(ExportError, match=r"nothing was published. First: rule 19"):
        written(tmp_path / "v1", candidates, check=lambda folder: ["rule 19: a secret"])
    assert not (tmp_path / "v1").exists()


def test_a_folder_that_cannot_be_written_gives_one_clear_error(candidates, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ExportError, match="ULTRON_EXPORTS_DIR"):
        write_dataset(tmp_path / "file" / "v1", build(candidates), MANIFEST)
