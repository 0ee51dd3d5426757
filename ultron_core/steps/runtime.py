"""What every step needs, built once at the edge and passed in: no step reads the clock or the environment."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from ultron_core.embeddings.protocol import Embedder, Thresholds
from ultron_core.errors import InputError, ModelUnavailableError
from ultron_core.llm.protocol import LLM
from ultron_core.llm.tokens import token_counter
from ultron_core.records.asking import LEAST_WINDOW
from ultron_core.redaction.protocol import Redactor
from ultron_core.search.windows import LAYOUT
from ultron_core.setting_models import needed_context
from ultron_core.settings import Settings
from ultron_core.store.database import Database

__all__ = ["Clock", "Runtime", "Tell", "utc_now"]

Clock = Callable[[], datetime]
#: told what is worked on, how much of it is done, and of how much
Tell = Callable[[str, int, int], None]


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Runtime:
    """Settings, database and plugged-in models of one `Ultron`; `llm` is None offline."""

    settings: Settings
    database: Database
    embedder: Embedder
    redactor: Redactor
    llm: LLM | None = None
    quality_llm: LLM | None = None
    clock: Clock = utc_now
    #: how far the work on one long log is
    tell: Tell = lambda _what, _done, _total: None

    @property
    def account_id(self) -> str:
        return self.settings.store.account_id

    @property
    def account(self) -> dict[str, Any]:
        """The parameter that every query takes."""
        return {"account_id": self.account_id}

    @property
    def model_key(self) -> dict[str, Any]:
        """Parameters that every query over vectors takes."""
        return {"account_id": self.account_id, "model_id": self.embedder.model_id}

    @property
    def thresholds(self) -> Thresholds:
        """The embedder's calibrated cosines; a value set by the user wins."""
        own, dedup = self.embedder.thresholds, self.settings.dedup
        cluster = self.settings.clusters.similarity_threshold
        return Thresholds(
            merge=own.merge if dedup.similarity_threshold is None else dedup.similarity_threshold,
            soft=own.soft if dedup.soft_threshold is None else dedup.soft_threshold,
            cluster=own.cluster if cluster is None else cluster,
        )

    def waiting(
        self,
        keys: Sequence[str] | None = None,
        batch_size: int | None = None,
        tried: Collection[UUID] = (),
    ) -> dict[str, Any]:
        """Parameters of a query for what waits: only of these partitions when `keys` is given, and
        without the rows already `tried` in this cycle.

        `batch_size` None is the configured one, 0 takes nothing. Raises InputError for a negative one.
        """
        if batch_size is not None and batch_size < 0:
            raise InputError(f"batch_size must not be negative, not {batch_size}.")
        return {
            "account_id": self.account_id,
            "keys": None if keys is None else list(keys),
            "max_attempts": self.settings.segments.max_attempts,
            "memory_threshold": self.settings.labels.memory_score_threshold,
            "project": None,
            "tried": list(tried),
            "windows": f"{LAYOUT}:{self.embedder.model_id}",
            "batch_size": self.settings.segments.batch_size if batch_size is None else batch_size,
            # without a model a log is cut as it grows: that costs nothing
            "quiet_since": None if self.llm is None else self.quiet_since,
        }

    @property
    def quiet_since(self) -> datetime:
        """A log that has not changed since then counts as finished."""
        return self.clock() - timedelta(minutes=self.settings.sessions.quiet_minutes)

    def room_beside(self, prompt: str) -> int:
        """Tokens that fit one request beside these instructions.

        Raises ModelUnavailableError, with the context that is needed, when they are too few: every row waits then.
        """
        llm, asked = self.settings.llm, token_counter(self.settings.llm.token_encoding)(prompt)
        room = llm.room_for(asked)
        if room < LEAST_WINDOW:
            raise ModelUnavailableError(
                f"{llm.model_name} reads {llm.max_input_tokens:,} tokens (ULTRON_LLM_MAX_INPUT_TOKENS); "
                f"{needed_context(asked + LEAST_WINDOW):,} are needed. Raise the context of the server, then run "
                "`ultron model` and `ultron process`."
            )
        return room

    def record_tokens(self, prompt: str) -> int:
        """Tokens of a record that a judge or an extractor reads at once. Raises as `room_beside` does."""
        return min(self.settings.extract.window_tokens, self.room_beside(prompt))

    def fits(self, prompt: str, least: int) -> bool:
        """Whether a record of so many tokens fits one request beside these instructions."""
        asked = token_counter(self.settings.llm.token_encoding)(prompt)
        return self.settings.llm.room_for(asked) >= least
