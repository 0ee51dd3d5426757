"""The path with a model, answered by files: every prompt is written down, and goes on once its answer lies beside it.

    python benchmarks/model_parts/ask.py LOGS WORK [--context N] [--judge]

LOGS is a log or a folder of them, in any format that Ultron reads. WORK gets `prompts/<key>.md`, one for each question
that has no answer yet: what would be sent, letter for letter, and the JSON schema of the answer. Put the answer into
`answers/<key>.json` and run the same line again: it goes on from there, until `waiting` is 0. An answer that is refused
is asked for once more, as a real model would be, with the reason in a prompt of its own. `--judge` has another model
judge than the one that cuts and extracts, so that each question is asked alone; `--context` is that of the model, in
tokens.

The store lies in WORK/home: `ultron --home WORK/home search ...` looks into it, and `ultron --home WORK/home drops`.
What is sent is redacted as ever; WORK is as private as the logs are.

One line: the `waiting` prompts, `answered` ones, `segments`, `labeled`, `memories` and `drops` so far, the `calls` and
tokens of all answers that were used, and what is wrong with the rows that are `undone` for another reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

# run as a script, this file's own folder is on the path instead of the one above it
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from inputs.places import ROOT

sys.path.insert(0, str(ROOT))

from model_parts.recorded import key_of

from ultron_core import Ultron
from ultron_core.errors import ModelError
from ultron_core.llm.answering.schemas import asked_schema
from ultron_core.llm.tokens import count_tokens
from ultron_core.llm.wire.completion import Completion
from ultron_core.settings import (
    LLMSettings,
    QualityLLMSettings,
    SegmentSettings,
    SessionSettings,
    Settings,
    StoreSettings,
)
from ultron_core.steps.stages.reprocess import retry

#: nobody listens there: answers come from files
NOBODY = "http://127.0.0.1:9/v1"
WAITS = "no answer lies there yet"


class NotAnswered(ModelError):
    """A question without an answer: its row waits, the others go on."""


class Files:
    """An endpoint whose answers somebody writes into files."""

    def __init__(self, folder):
        self._prompts, self._answers = folder / "prompts", folder / "answers"
        for path in (self._prompts, self._answers):
            path.mkdir(parents=True, exist_ok=True)
        for stale in self._prompts.glob(
            "*.md"
        ):  # what waits is asked again, and written by the prompts of now
            stale.unlink()

    def told(self, schema):
        return ""

    def send(self, chat, schema):
        key = key_of(chat, schema)
        prompt, answer = self._prompts / f"{key}.md", self._answers / f"{key}.json"
        if not answer.exists():
            prompt.write_text(shown(chat, schema), "utf-8")
            raise NotAnswered(f"{WAITS}: {answer.name}")
        prompt.unlink(missing_ok=True)
        text = answer.read_text("utf-8")
        return Completion(text, False, sum(count_tokens(one["content"]) for one in chat), count_tokens(text))

    @property
    def waiting(self):
        return sorted(path.stem for path in self._prompts.glob("*.md"))

    @property
    def answered(self):
        return len(list(self._answers.glob("*.json")))


def shown(chat, schema):
    """A prompt as somebody reads it who is to answer."""
    parts = [f"===== {one['role']} =====\n{one['content']}" for one in chat]
    described = json.dumps(asked_schema(schema), ensure_ascii=False)
    return "\n\n".join(
        [*parts, f"===== {schema.__name__}: one JSON value of this schema =====\n{described}\n"]
    )


def settings_of(args):
    model = {"api_key": "by hand", "base_url": NOBODY, "model": "by-hand", "max_retries": 0}
    llm = LLMSettings(**model, **({"max_input_tokens": args.context} if args.context else {}))
    judge = {"quality_llm": QualityLLMSettings(model="by-hand-judge")} if args.judge else {}
    return Settings(
        store=StoreSettings(home=args.work / "home"),
        sessions=SessionSettings(quiet_minutes=0),
        segments=SegmentSettings(max_attempts=1_000),
        llm=llm,
        **judge,
    )


def main():
    about = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=about)
    parser.add_argument("logs", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--context", type=int, metavar="N")
    parser.add_argument("--judge", action="store_true")
    args = parser.parse_args()
    files = Files(args.work)
    with Ultron(settings_of(args)) as ultron:
        for llm in {id(one): one for one in (ultron.runtime.llm, ultron.runtime.quality_llm)}.values():
            llm._endpoint = files
        ultron.ingest([args.logs], "agent")
        retry(ultron.runtime)
        report = ultron.process_pending()
        print(json.dumps({"benchmark": "ask", **figures(ultron, files, report)}, ensure_ascii=False))


def figures(ultron, files, report):
    with ultron.runtime.database.transaction() as conn:
        rows = conn.execute(
            "SELECT (SELECT count(*) FROM task_segments) AS segments,"
            " (SELECT count(*) FROM task_segments WHERE labeled = 1) AS labeled,"
            " (SELECT count(*) FROM memories WHERE status <> 'archived') AS memories,"
            " (SELECT count(*) FROM drops) AS drops,"
            " count(*) AS calls, coalesce(sum(input_tokens), 0)::int AS input_tokens,"
            " coalesce(sum(output_tokens), 0)::int AS output_tokens"
            " FROM llm_calls WHERE NOT cached AND error IS NULL"
        ).fetchone()
    wrong = [error for error in report["errors"] if WAITS not in error]
    return {"waiting": len(files.waiting), "answered": files.answered, **rows, "undone": wrong}


if __name__ == "__main__":
    main()
