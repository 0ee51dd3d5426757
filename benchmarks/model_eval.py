"""How well a language model judges, cuts and writes notes: what needs a key, and says so when there is none.

    python benchmarks/model_eval.py [--data DIR] [--sessions N] [--record FILE]
    python benchmarks/model_eval.py [--data DIR] [--sessions N] --replay FILE

The model is the one of the settings (docs/models.md). At most N sessions a set (default 20; the same ones each time)
are judged whole, as one task each, by the prompts that the pipeline uses. All answers go into FILE (default
model_eval_answers.jsonl; it holds text of the sessions, so none is written for the lockbox); with --replay they come
from there and no key is needed.

One line a set of sessions with a recorded success, and one of all:
`auc` and `brier` of success_probability (0.5 and 0.25 tell nothing); `gate_n` sessions that pass the gate for
training data and their `gate_precision` (beside `base`, the share of successes); `notes`; on failed runs the `cures`,
the share that the model called verified and the share that would be stored as such, `cures_verified` (aim: 0);
`quotes` and the share that no message holds, `quote_drop` (aim: under 0.05); `asked` questions and the share asked
again, `re_ask` (aim: under 0.03); `failed` sessions without a usable answer; `input_tokens` and `output_tokens` a
session.
One line a set of divided dialogues: `f1_clipped` over boundaries from messages cut as the pipeline cuts them,
`f1_full` from whole ones, with the tokens of each.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import numpy as np
from inputs.dialogues import STITCHED, load
from inputs.lockbox import guarded, is_lockbox
from inputs.places import arguments
from label_parts.figures import auc
from label_parts.runs import load_sessions, outcome_names
from model_parts.recorded import Recording, Replayed
from segmentation import scores

from ultron_core.errors import ModelAnswerError
from ultron_core.labels import is_sft_eligible
from ultron_core.llm.client import OpenAICompatibleLLM
from ultron_core.llm.ledger import MemoryCache, MemoryLedger
from ultron_core.llm.tokens import count_tokens, token_counter
from ultron_core.memories import drafts_from
from ultron_core.redaction.names.presidio import PresidioRedactor
from ultron_core.segments.by_model import cut, shown
from ultron_core.settings import Settings
from ultron_core.steps.stages.review import review_prompt, review_segment

NAME = "model_eval"
#: longer than any message: nothing is cut
WHOLE = 10**9


@dataclass
class Judged:
    """What came of the sessions of one set."""

    success: list = field(default_factory=list)
    likely: list = field(default_factory=list)
    gated: list = field(default_factory=list)
    notes: int = 0
    cures: int = 0
    cures_called: int = 0
    cures_verified: int = 0
    quotes: int = 0
    quotes_kept: int = 0
    failed: int = 0
    asked: int = 0
    again: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __iadd__(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self


def main():
    args = parser().parse_args()
    settings = Settings.load()
    if not settings.llm.enabled and args.replay is None:
        say(skipped="no key is set, so no model was asked; docs/models.md says which variables name one")
        return
    with guarded(NAME, args.data):
        record = None if is_lockbox(args.data) else args.record
        evaluate(args.data, Models(settings, record, args.replay), args.sessions)


def parser():
    own = arguments(__doc__)
    own.add_argument("--sessions", type=int, default=20, metavar="N")
    own.add_argument("--record", type=Path, default=Path("model_eval_answers.jsonl"), metavar="FILE")
    own.add_argument("--replay", type=Path, metavar="FILE")
    return own


class Models:
    """Clients of the configured model that share one endpoint, each with a ledger of its own and no cache."""

    def __init__(self, settings, record=None, replay=None):
        self.settings = settings
        # a key is never sent on a replay
        self._llm = settings.llm.model_copy(update={"offline": False})
        self._redactor = PresidioRedactor(settings.redaction.word_list) if settings.llm.redact_input else None
        first = self._client(MemoryLedger())
        asked = Recording(first._endpoint, record) if record else first._endpoint
        self._endpoint = Replayed(replay) if replay else asked
        self.window_tokens = min(
            settings.extract.window_tokens, settings.llm.room_for(count_tokens(review_prompt()))
        )

    def client(self, ledger):
        client = self._client(ledger)
        client._endpoint = self._endpoint
        return client

    def _client(self, ledger):
        redact = self._redactor and (lambda text: self._redactor.redact_text(text).text)
        return OpenAICompatibleLLM(self._llm, cache=MemoryCache(), ledger=ledger, redact=redact)


def evaluate(data, models, most):
    total = Judged()
    for name in outcome_names(data):
        judged = judge_set(data, name, models, most)
        total += judged
        say(set=name, **figures(judged))
    if total.success:
        say(set="all", **figures(total))
    else:
        say(set="sessions", skipped="not in the data folder")
    for name in STITCHED:
        if dialogues := load(data, name):
            say(set=name, **boundaries(spread(dialogues, most, lambda d: d.name), models))
        else:
            say(set=name, skipped="not in the data folder")


def spread(items, most, name):
    """At most so many, the same ones each time, whatever their order."""
    return sorted(items, key=lambda item: hashlib.sha256(name(item).encode()).hexdigest())[:most]


def judge_set(data, name, models, most):
    sessions = [(row, messages) for row, messages in load_sessions(data, name) if "success" in row]
    judged, ledger = Judged(), MemoryLedger()
    llm = models.client(ledger)
    for row, messages in spread(sessions, most, lambda session: session[0]["file"]):
        try:
            label, notes = review_segment(messages, llm, "", "", models.window_tokens)
        except ModelAnswerError:
            judged.failed += 1
            continue
        judged.success.append(int(row["success"]))
        judged.likely.append(label.summary.success_probability)
        judged.gated.append(is_sft_eligible(label).ok)
        count_notes(judged, messages, notes, failed=not row["success"])
    paid = paid_calls(ledger)
    judged.asked = len({call.prompt_hash for call in paid})
    judged.again = len(paid) - judged.asked
    judged.input_tokens = sum(call.input_tokens for call in paid)
    judged.output_tokens = sum(call.output_tokens for call in paid)
    return judged


def paid_calls(ledger):
    return [call for call in ledger.calls if call.error is None and not call.cached]


def count_notes(judged, messages, notes, *, failed):
    for note in notes:
        (draft,) = drafts_from([note.model_copy(update={"memory_type": "error"})], messages)
        judged.notes += 1
        judged.quotes += len(note.evidence)
        judged.quotes_kept += len(draft.evidence)
        if failed and note.resolution.strip():
            judged.cures += 1
            judged.cures_called += note.resolution_status == "verified"
            judged.cures_verified += draft.cure == "verified"


def figures(judged):
    truth, likely = np.array(judged.success), np.array(judged.likely)
    passed = [success for success, ok in zip(judged.success, judged.gated, strict=True) if ok]
    n = len(truth)
    return {
        "n": n,
        "auc": round(auc(truth, likely), 3) if 0 < truth.sum() < n else None,
        "brier": share(float(((likely - truth) ** 2).sum()), n) if n else None,
        "base": share(int(truth.sum()), n),
        "gate_n": len(passed),
        "gate_precision": share(sum(passed), len(passed)),
        "notes": judged.notes,
        "cures": judged.cures,
        "cures_called_verified": share(judged.cures_called, judged.cures),
        "cures_verified": share(judged.cures_verified, judged.cures),
        "quotes": judged.quotes,
        "quote_drop": share(judged.quotes - judged.quotes_kept, judged.quotes),
        "asked": judged.asked,
        "re_ask": share(judged.again, judged.asked),
        "failed": judged.failed,
        "input_tokens": round(judged.input_tokens / max(n, 1)),
        "output_tokens": round(judged.output_tokens / max(n, 1)),
    }


def share(part, whole):
    return round(part / whole, 4) if whole else None


def boundaries(dialogues, models):
    """F1 and tokens of both ways to show the same dialogues."""
    row = {"n": len(dialogues)}
    whole = dict.fromkeys(("_USER_CHARS", "_ASSISTANT_CHARS", "_OTHER_CHARS", "_RUN_ENDS"), WHOLE)
    as_it_is = {name: getattr(shown, name) for name in whole}
    for way, limits in (("clipped", as_it_is), ("full", whole)):
        ledger = MemoryLedger()
        llm = models.client(ledger)
        with patch.multiple(shown, **limits):
            found = [(dialogue, cuts(dialogue, llm, models.settings)) for dialogue in dialogues]
        row[f"f1_{way}"] = scores(found)["f1"]
        row[f"input_tokens_{way}"] = sum(call.input_tokens for call in paid_calls(ledger))
    return row


def cuts(dialogue, llm, settings):
    count = token_counter(settings.llm.token_encoding)
    try:
        tasks = cut.cut_by_model(
            dialogue.messages, llm, settings.llm.room_for(count(cut.segment_prompt())), count
        )
    except ModelAnswerError:
        return []
    return [task.start for task in tasks[1:]]


def say(**row):
    print(json.dumps({"benchmark": NAME, **row}), flush=True)


if __name__ == "__main__":
    main()
