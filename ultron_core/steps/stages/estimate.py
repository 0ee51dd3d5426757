"""What the pending work would cost with the configured model, before anything is called.

The stages themselves are walked with a model that counts what it is sent and finds nothing: windows, prompts and
what needs no call are then the same as in a real run. Where sessions are not cut yet, the offline cut stands in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from ultron_core.labels import is_memory_eligible
from ultron_core.labels.judge import Judgement
from ultron_core.llm.protocol import LLM, Answer
from ultron_core.llm.tokens import CountTokens, token_counter
from ultron_core.memories import extract_from_text, extract_with_model
from ultron_core.memories.by_model import extract_prompt
from ultron_core.memories.notes import ExtractAnswer
from ultron_core.models import Message, QualityLabel
from ultron_core.segments import segment_messages
from ultron_core.segments.by_model.answer import TaskList
from ultron_core.steps.runtime import Runtime
from ultron_core.steps.stages import extract, label, segment
from ultron_core.steps.stages.review import Review
from ultron_core.steps.stages.table import STAGES
from ultron_core.steps.stages.text import waiting_texts
from ultron_core.steps.stages.waiting.loop import Item
from ultron_core.steps.stages.whole import SessionReview
from ultron_core.store.database import Connection
from ultron_core.store.tables import segments as segment_store
from ultron_core.store.tables import sessions as session_store
from ultron_core.store.tables.records import SegmentRow, SessionRow

__all__ = ["estimate_pending"]

#: more segments than any store has waiting
_ALL = 1_000_000
#: as short as an answer may be: a task, a judgement of an open outcome, no notes
_NOTHING: dict[str, Any] = {
    "outcome": "unknown",
    "task_type": "other",
    "success_probability": 0.5,
    "metrics": [{"name": name, "score": 0.5} for name in ("goal_reached", "completeness")],
    "memories": [],
}
#: tokens of an answer, and how many more for each that is shown to the model: fitted on the answers of tests/replay,
#: where a judgement has 149 and a note 184
_SAID: Mapping[type[BaseModel], tuple[float, float]] = {
    SessionReview: (235, 0.16),
    Review: (235, 0.16),
    Judgement: (150, 0.0),
    ExtractAnswer: (85, 0.16),
    TaskList: (60, 0.0),
}
#: how a question about boundaries begins, e.g. `Record bqcd, messages 1 to 42.`, and a message: `[bqcd 12 user]`
_LAST, _FIRST = re.compile(r"\ARecord \w+, messages 1 to (\d+)\."), re.compile(r"^\[\w+ (\d+) ", re.MULTILINE)


class _Bill:
    """Calls by stage, and the tokens of all."""

    def __init__(self) -> None:
        self.calls = Counter[str]()
        self.input_tokens = 0
        self.output_tokens = 0.0


class _Counting:
    """An LLM that notes what each request costs, and answers as shortly as it can."""

    def __init__(self, llm: LLM, count: CountTokens, bill: _Bill) -> None:
        self.model_id = llm.model_id
        self._count, self._bill = count, bill

    def complete(
        self, messages: Sequence[Mapping[str, str]], schema: type[Answer], *, stage: str = ""
    ) -> Answer:
        *rules, shown = (self._count(message["content"]) for message in messages)
        each, share = _SAID[schema]
        self._bill.calls[stage] += 1
        self._bill.input_tokens += sum(rules) + shown
        self._bill.output_tokens += each + share * shown
        given = {**_NOTHING, "tasks": [_one_task(messages[-1]["content"])]}
        return schema.model_validate({name: given[name] for name in schema.model_fields if name in given})


def _one_task(text: str) -> dict[str, Any]:
    """One task over all that is shown."""
    if (last := _LAST.match(text)) is not None:
        return {"start": 1, "end": int(last.group(1))}
    numbers = [int(number) for number in _FIRST.findall(text) if number != "0"]
    return {"start": numbers[0] if numbers else 1, **_NOTHING}


def estimate_pending(runtime: Runtime) -> dict[str, Any]:
    """Calls by stage, tokens and cost of what waits; zero calls when no model is configured.

    Not counted are answers that the cache has already, and calls that depend on what is found: summaries of long
    notes, merges, names of clusters.
    """
    if runtime.llm is None:
        return {"model": "none (offline)", "calls": 0, "input_tokens": 0, "output_tokens": 0, "cost": 0.0}
    bill = _Bill()
    count = token_counter(runtime.settings.llm.token_encoding)
    main = _Counting(runtime.llm, count, bill)
    judge = runtime.quality_llm
    other = main if judge is None or judge is runtime.llm else _Counting(judge, count, bill)
    dry = replace(runtime, llm=main, quality_llm=other)
    params = runtime.waiting(batch_size=_ALL)
    with runtime.database.transaction() as conn:
        for session in segment.STEP.waiting(conn, segment.STEP.stage.pending, params):
            _session(dry, conn, session)
        for labelled in label.STEP.waiting(conn, label.STEP.stage.pending, params):
            _judged(dry, conn, labelled.row)
        for judged in extract.STEP.waiting(conn, extract.STEP.stage.pending, params):
            _extracted(dry, conn, judged.row)
        for text in waiting_texts(conn, params):
            extract_from_text(text.row.text, main)
    return _figures(runtime, bill)


def _session(dry: Runtime, conn: Connection, item: Item[SessionRow]) -> None:
    """A session that is not cut yet: its cut, then a judgement of each task that the offline cut finds in it."""
    row = item.row
    messages = segment.STEP.messages(conn, row)
    stored = segment_store.of_sessions(conn, [row.id])[row.id]
    again = not row.segmenter
    _, reviews = segment.cut_session(dry, messages, [] if again else stored, alone=again and bool(stored))
    if reviews:  # the judgements and notes came with the boundaries
        return
    known = {one.fingerprint for one in stored}
    threads: dict[str, list[Message]] = {}
    for message in messages:
        threads.setdefault(message.thread, []).append(message)
    for task in segment_messages(messages):
        if task.fingerprint not in known:
            system = session_store.system_prompt(conn, row.account_id, row.id, task.thread)
            _judge(dry, threads[task.thread][task.start : task.end], task.topic, system, both_due=True)


def _judged(dry: Runtime, conn: Connection, row: SegmentRow) -> None:
    messages = label.STEP.messages(conn, row)
    system = session_store.system_prompt(conn, row.account_id, row.session_id, row.thread)
    both = row.memory_extracted == 0 and row.label_attempts == 0
    _judge(dry, messages, row.topic, system, both_due=both)


def _judge(dry: Runtime, messages: Sequence[Message], topic: str, system: str, *, both_due: bool) -> None:
    """The judgement, and an extraction by itself where the notes do not come with it."""
    judged, notes = label.judge_segment(dry, messages, topic, system, both_due=both_due)
    if notes is not None or dry.llm is None:
        return
    if is_memory_eligible(judged, dry.settings.labels.memory_score_threshold).ok:
        limit = dry.record_tokens(extract_prompt())
        extract_with_model(messages, dry.llm, limit, label=judged, topic=topic, system=system)


def _extracted(dry: Runtime, conn: Connection, row: SegmentRow) -> None:
    given = QualityLabel.from_json(row.quality_metrics or {})
    if is_memory_eligible(given, dry.settings.labels.memory_score_threshold).ok:
        extract.drafts_of(dry, row, extract.STEP.messages(conn, row), given)


def _figures(runtime: Runtime, bill: _Bill) -> dict[str, Any]:
    llm = runtime.settings.llm
    output = round(bill.output_tokens)
    cost = (bill.input_tokens * llm.price_input_per_million + output * llm.price_output_per_million) / 1e6
    return {
        "model": runtime.llm.model_id if runtime.llm else "",
        **{f"{stage.call}_calls": bill.calls[stage.call] for stage in STAGES if stage.call},
        "calls": bill.calls.total(),
        "input_tokens": bill.input_tokens,
        "output_tokens": output,
        "cost": round(cost, 4),
    }
