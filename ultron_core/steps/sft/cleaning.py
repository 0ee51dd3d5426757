"""What an export is handed to clean and check rows with, made anew in each process, and what is remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ultron_core.redaction import PresidioRedactor, Redactor
from ultron_core.redaction.later import LaterRedactor
from ultron_core.sft import Built, Checks, EvalIndex, Tools
from ultron_core.sft.counting.tokenizer import row_counter
from ultron_core.sft.kinds.records import Outcome, Pair
from ultron_core.sft.verify import default_checks, has_secret
from ultron_core.sft.workers import Workers
from ultron_core.steps.runtime import Runtime
from ultron_core.store.tables import exports

__all__ = ["CleanedRows", "finishers_of", "workers_of"]

#: rows that wait before processes are started: each start takes as long as cleaning some 150 of them
_WORTH_PROCESSES = 65
#: rows from which on processes are started to write and check them: each start takes as long as some 1,000 of them
_WORTH_FINISHERS = 3_000


def workers_of(runtime: Runtime, eval_index: EvalIndex | None, count: int) -> Workers[Tools]:
    """Workers with the redactor of the runtime. One that a caller brought along stays in this process."""
    redactor, words = runtime.redactor, runtime.settings.redaction.word_list
    tokenizer = runtime.settings.sft.tokenizer
    if isinstance(redactor, LaterRedactor):
        redactor = redactor.made
    if not isinstance(redactor, PresidioRedactor):
        return Workers(partial(_other, redactor, eval_index, tokenizer))
    same = redactor.version == PresidioRedactor(words).version
    anew = partial(_anew, words, eval_index, tokenizer) if same else None
    here = partial(_presidio, redactor, eval_index, tokenizer)
    return Workers(here, count, anew, least=_WORTH_PROCESSES)


def finishers_of(runtime: Runtime, eval_index: EvalIndex | None, built: Built, count: int) -> Workers[Checks]:
    """Workers that write and check rows: new ones, as those that redact take three times the memory."""
    tokenizer = runtime.settings.sft.tokenizer
    here = partial(default_checks, eval_index, built.scanned, tokenizer)
    many = len(built.rows) >= _WORTH_FINISHERS
    # the runs of a pair are known by hashes that it does not hold: new processes would count and scan them again
    plain = many and not isinstance(built.rows[0], Pair | Outcome)
    return Workers(here, count, partial(default_checks, eval_index, tokenizer=tokenizer) if plain else None)


def _anew(words: Sequence[str], eval_index: EvalIndex | None, tokenizer: str) -> Tools:
    return _presidio(PresidioRedactor(words), eval_index, tokenizer)


def _presidio(redactor: PresidioRedactor, eval_index: EvalIndex | None, tokenizer: str) -> Tools:
    return _tools(redactor.redact_json_many, redactor.version, eval_index, tokenizer)


def _other(redactor: Redactor, eval_index: EvalIndex | None, tokenizer: str) -> Tools:
    return _tools(
        lambda values: [redactor.redact_json(value)[0] for value in values],
        redactor.version,
        eval_index,
        tokenizer,
    )


def _tools(redact: Any, version: str, eval_index: EvalIndex | None, tokenizer: str) -> Tools:
    counter = row_counter(tokenizer)
    return Tools(redact, has_secret, counter, eval_index, f"{version} {counter.name}")


@dataclass(frozen=True, slots=True)
class CleanedRows:
    """`Memory` in the table `sft_cleaned`; each call is a transaction of its own."""

    runtime: Runtime

    def recall(self, digests: Mapping[str, bytes]) -> Mapping[str, bytes]:
        of_segments = {run: digest for run, digest in digests.items() if _is_segment(run)}
        with self.runtime.database.transaction() as conn:
            return exports.recall_cleaned(conn, self.runtime.account_id, of_segments)

    def remember(self, entries: Sequence[tuple[str, bytes, bytes]]) -> None:
        account, own = self.runtime.account_id, [entry for entry in entries if _is_segment(entry[0])]
        if own:
            self.runtime.database.run(lambda conn: exports.remember_cleaned(conn, account, own))


def _is_segment(run: str) -> bool:
    """Parts of a segment, such as `<segment>:corrected`, are not remembered."""
    return ":" not in run
