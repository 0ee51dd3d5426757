"""Candidates and datasets for tests of the export: small, whole, and of the shapes that logs have."""

from ultron_core.llm.tokens import token_counter
from ultron_core.models import Message, Metric, QualityLabel, QualitySummary, ToolCall
from ultron_core.sft import BuildConfig, Candidate, Tools, Workers, build_rows, write_dataset

ANSWER = "The capital of {0} is {1}. It lies on a river and has had that name for many centuries, as far as we know."
MANIFEST = {
    "name": "test",
    "version": "1",
    "created_at": "2026-01-01T00:00:00+00:00",
    "config": {"min_quality_score": 0.8, "tool_output_max_tokens": 2048, "max_tokens": 32768},
}


def user(text, **more):
    return Message("user", text, **more)


def assistant(text="", *calls, **more):
    return Message("assistant", text, tool_calls=tuple(calls), origin="model", **more)


def result(call_id, text, name=None):
    return Message("tool", text, tool_call_id=call_id, name=name, origin="tool")


def candidate(number, *messages, score=0.9, session="s1", **more):
    """A candidate with these messages."""
    summary = QualitySummary(score, 0.5, 0.9, "success", "qa")
    given = {
        "topic": "a topic",
        "tools": (),
        "harness": "openai",
        "session_key": session,
        "agent_id": "a",
        "session_id": "00000000-0000-0000-0000-000000000001",
        "start_line": 1,
        "end_line": len(messages),
        "redaction_version": "1",
        "evidence": "likely",
    }
    label = QualityLabel(summary, {"goal": Metric(1.0, 1.0)}, "offline:test")
    return Candidate(segment_id=f"seg-{number:03}", messages=messages, label=label, **{**given, **more})


def asked(number, question, answer, *, calls=(), **more):
    """A question, calls that all answer "ok", and the answer."""
    messages = [user(question)]
    for call in calls:
        messages += [assistant("", call), result(call.id, "ok")]
    return candidate(number, *messages, assistant(answer), **more)


def four_questions():
    """Four rows that resemble each other in kind, in four sessions, with calls of two kinds of arguments."""
    pairs = [("France", "Paris"), ("Spain", "Madrid"), ("Japan", "Tokyo"), ("Peru", "Lima")]
    return [
        asked(
            i,
            f"What is the capital of {country}, and why was just that town chosen?",
            f"{town}. " + " ".join(f"{town} has reason {n} of {country}." for n in range(8)),
            session=f"s{i}",
            calls=[ToolCall("x", f"look_up_{i}", {"q": country} if i % 2 else {"id": i})],
        )
        for i, (country, town) in enumerate(pairs)
    ]


def build(candidates, config=None, *, eval_index=None, redact=lambda v: v, has_secret=lambda t: False):
    tools = Tools(lambda values: [redact(v) for v in values], has_secret, token_counter(), eval_index)
    return build_rows(candidates, config or BuildConfig(), Workers(lambda: tools))


def written(folder, candidates, config=None, **more):
    """The folder of a dataset made of these candidates."""
    write_dataset(folder, build(candidates, config), MANIFEST, **more)
    return folder
