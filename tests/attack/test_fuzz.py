"""Fuzzed logs and fuzzed answers through whole cycles: nothing raises, all is counted, memory stays low.

FUZZ_SESSIONS, FUZZ_ANSWERS and FUZZ_SEED ask for more, or for another run.
"""

import gzip
import json
import os
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.attack.model.test_answers import VARIANTS
from tests.core.sessions.rows import ROWS
from tests.core.sessions.test_fuzz import mutate
from tests.core.steps.stages.test_model_path import answer
from tests.support.memories import rows
from tests.support.model import hostile
from tests.support.model.server import model_server
from tests.support.worlds import solved, write_log
from ultron_core.client import Ultron
from ultron_core.settings import LLMSettings, SessionSettings
from ultron_core.steps.audit import rows as audit

SESSIONS = int(os.environ.get("FUZZ_SESSIONS", "200"))
ANSWERS = int(os.environ.get("FUZZ_ANSWERS", "1000"))
SEED = int(os.environ.get("FUZZ_SEED", "13"))
MOST_MEGABYTES = 500
NOISE = (
    b"\x00",
    b"\xff\xfe",
    b"\x1b[31m",
    b"\r",
    b"\n",
    b"{",
    b'"',
    b"\xe4",
    "名".encode("gbk"),
    b"\\ud800",
    b"[" * 400,
)


def report(peak):
    """Printed for long runs (pytest -s)."""
    print(f"{SESSIONS} sessions, {ANSWERS} answers, seed {SEED}: {peak.megabytes():.0f} MB at most")
    assert peak.megabytes() < MOST_MEGABYTES


def fuzzed_session(chance):
    """Bytes of a log: rows of some format or a solved task, changed as values, then as bytes, sometimes packed."""
    if chance.random() < 0.5:
        chosen = chance.choices(ROWS[chance.choice(sorted(ROWS))], k=chance.randint(1, 30))
    else:
        package = chance.choice(["pandas", "lxml", "torch"])
        chosen = [
            row for n in range(chance.randint(1, 3)) for row in solved(f"task{n}{chance.random()}", package)
        ]
    odds = chance.choice([0.0, 0.02, 0.2])
    body = "\n".join(json.dumps(mutate(row, chance, odds)) for row in chosen).encode()
    if chance.random() < 0.3:
        body = body.decode().encode(
            chance.choice(["utf-16", "utf-16-le", "utf-8-sig", "gbk", "latin-1"]), "replace"
        )
    for _ in range(chance.choice([0, 0, 1, 5])):
        at, end = sorted(chance.randint(0, len(body)) for _ in range(2))
        body = body[:at] + chance.choice([*NOISE, body[at : at + 50]]) + body[chance.choice([at, end]) :]
    return gzip.compress(body) if chance.random() < 0.05 else body


def fuzzed_answer(chance):
    """What a request is answered: a good answer, one that is changed as a value or as text, or none at all."""

    def said(request):
        kind = chance.random()
        asked = request["messages"]
        # asked again, what it said and what is wrong with it stand behind the log
        again = len(asked) > 2 and asked[-2]["role"] == "assistant"
        text = answer({**request, "messages": asked[:-2] if again else asked})
        if kind < 0.3:
            return text
        if kind < 0.5:
            return json.dumps(mutate(json.loads(text), chance, 0.2))
        if kind < 0.7:
            text = chance.choice(VARIANTS)["text"]
        for _ in range(chance.randint(1, 4)):
            at, end = sorted(chance.randint(0, len(text)) for _ in range(2))
            text = (
                text[:at]
                + chance.choice(["{", "}", '"', "\\", "<think>", "\ud800", "1e999", text[at:end]])
                + text[end:]
            )
        return text

    return said


BODIES = (
    500,
    429,
    "broken",
    "page",
    "drop",
    hostile.NESTED_BODY,
    hostile.NO_MESSAGE,
    b"null",
    hostile.said(None),
)


class Peak:
    """The most memory the process had since it was made, above what it had then."""

    def __init__(self):
        self._before = self._status("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")

    @staticmethod
    def _status(name):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024

    def megabytes(self):
        return self._status("VmHWM") - self._before


def peak_of(ultron):
    """Counts from now on, when the models are loaded."""
    ultron.runtime.redactor.redact_text("My name is Ella Snider. 我叫李小明，今年三十岁。")
    ultron.runtime.embedder.embed(["a text"])
    try:
        return Peak()
    except OSError:
        pytest.skip("this system does not tell the most memory a process had")


AUDITS = (
    audit.lines_accounted,
    audit.segments_tile,
    audit.scores_in_range,
    audit.no_secret_stored,
    audit.memories_have_sources,
    audit.clusters_consistent,
)


def violations(ultron):
    """What the audit finds wrong with the rows that a cycle left, by rule."""
    found = [check(ultron.runtime) for check in AUDITS]
    assert all(one.checked for one in found[:3])
    return {one.about: one.sample for one in found if one.count}


def test_fuzzed_sessions_go_through_a_cycle_and_every_line_is_counted(settings, tmp_path):
    chance = random.Random(SEED)
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(SESSIONS):
        (folder / f"{number}.jsonl").write_bytes(fuzzed_session(chance))
    quiet = settings.model_copy(update={"sessions": SessionSettings(quiet_minutes=0)})
    with Ultron(quiet) as ultron:
        peak = peak_of(ultron)
        result = ultron.ingest([folder], "agent", process=True)
        assert result["total_files"] == SESSIONS == result["successful"] + result["failed"]
        for one in result["results"]:
            assert one["success"] or one["error"], one
        stored = rows(ultron, "SELECT lines, status, error, segmented FROM sessions")
        assert sum(row["status"] == "ok" for row in stored) > SESSIONS / 4
        for row in stored:
            lines = row["lines"]
            counted = lines["message"] + lines["part"] + lines["metadata"] + sum(lines["skipped"].values())
            assert lines["total"] == counted
        waiting = "status = 'ok' AND message_count > 0 AND segmented = 0 AND error IS NULL"
        assert rows(ultron, f"SELECT session_file FROM sessions WHERE {waiting}") == []
        unjudged = (
            "closed AND (labeled = 0 AND label_error IS NULL OR labeled = 1 AND memory_extracted = 0 AND"
        )
        assert rows(ultron, f"SELECT id FROM task_segments WHERE {unjudged} extract_error IS NULL)") == []
        assert violations(ultron) == {}
    report(peak)


def test_fuzzed_answers_end_no_cycle_and_every_call_is_counted(settings, tmp_path):
    chance = random.Random(SEED)
    now = datetime(2026, 3, 1, tzinfo=UTC)
    with model_server(answer=fuzzed_answer(chance)) as server:
        llm = LLMSettings(api_key="k" * 8, base_url=server.url, model="m", max_retries=0, timeout_seconds=5)
        update = {"llm": llm, "sessions": SessionSettings(quiet_minutes=0)}
        with Ultron(settings.model_copy(update=update), clock=lambda: now) as ultron:
            peak, cycle = peak_of(ultron), 0
            while len(server.requests) < ANSWERS:
                logs = [
                    write_log(tmp_path / f"{cycle}-{n}.jsonl", solved(f"task{cycle}x{n}", "pandas"))
                    for n in range(10)
                ]
                ultron.ingest(logs, "agent")
                # a failing endpoint ends a batch: most cycles have none
                odds = 0.02 if cycle % 4 == 0 else 0.0
                server.behaviours = [
                    chance.choice(BODIES) if chance.random() < odds else "ok" for _ in range(200)
                ]
                ultron.process_pending()
                cycle, now = cycle + 1, now + timedelta(days=1)
            server.behaviours = []
            ultron.process_pending()
            calls = rows(ultron, "SELECT count(*) AS n FROM llm_calls WHERE NOT cached")[0]["n"]
            assert calls == len(server.chats())
            blamed = "(error IS NOT NULL AND (attempts > 0 OR next_try IS NOT NULL))"
            assert rows(ultron, f"SELECT id FROM sessions WHERE segmented = 0 AND NOT {blamed}") == []
            assert rows(ultron, "SELECT 1 FROM memories LIMIT 1"), "some answers were good"
            server.answer = answer
            now += timedelta(days=1)
            ultron.process_pending()
            left = rows(
                ultron,
                "SELECT session_file, attempts, error FROM sessions WHERE segmented = 0 AND attempts < 20",
            )
            assert left == [], "the next cycle with a sane model completes"
            assert violations(ultron) == {}
    report(peak)
