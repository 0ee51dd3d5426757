"""What stands behind an `Ultron`: the server, the database with its schema, and the models that the settings name."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from ultron_core.embeddings.factory import embedder_of, make_embedder
from ultron_core.embeddings.protocol import Embedder
from ultron_core.llm.factory import make_llm, make_quality_llm
from ultron_core.llm.protocol import LLM
from ultron_core.redaction.later import LaterRedactor
from ultron_core.redaction.protocol import Redactor
from ultron_core.settings import Settings
from ultron_core.steps import given
from ultron_core.steps.runtime import Clock, Runtime, utc_now
from ultron_core.steps.upkeep.current_model import CurrentModel
from ultron_core.store.database import Database
from ultron_core.store.migrate import migrate
from ultron_core.store.server import EmbeddedServer
from ultron_core.store.tables.llm import PostgresAnswerCache, PostgresCallLedger

__all__ = ["Given", "assemble", "open_server"]


@dataclass(frozen=True, slots=True)
class Given:
    """What the caller hands in, in place of what the settings name."""

    llm: LLM | None = None
    quality_llm: LLM | None = None
    embedder: Embedder | None = None
    redactor: Redactor | None = None
    clock: Clock | None = None


def open_server(settings: Settings, closing: ExitStack) -> EmbeddedServer | None:
    """A hold on the embedded server of the home, let go with `closing`; None when the settings name a database."""
    if settings.store.database_url is not None:
        return None
    server = EmbeddedServer.open(settings.store.home)
    closing.callback(server.close)
    return server


def assemble(settings: Settings, url: str, given_models: Given, closing: ExitStack) -> CurrentModel:
    """Open the database at `url`, bring its schema up to date, and make what the settings name and nobody gave."""
    store = settings.store
    clock = given_models.clock or utc_now
    database = Database.open(
        url, pool_size=store.pool_size, statement_timeout_seconds=store.statement_timeout_seconds
    )
    closing.callback(database.close)
    migrate(database)
    redactor = given_models.redactor or LaterRedactor(settings.redaction.word_list)

    def redact(text: str) -> str:
        return redactor.redact_text(text).text

    cache = PostgresAnswerCache(database, store.account_id, clock)
    ledger = PostgresCallLedger(database, store.account_id, clock)
    llm, quality_llm = given_models.llm, given_models.quality_llm
    if llm is None:
        llm = make_llm(settings, cache=cache, ledger=ledger, redact=redact)
        quality_llm = quality_llm or make_quality_llm(settings, cache=cache, ledger=ledger, redact=redact)
    embedder = given_models.embedder
    runtime = Runtime(
        settings=settings,
        database=database,
        embedder=embedder or make_embedder(settings, redact=redact),
        redactor=redactor,
        llm=llm,
        quality_llm=quality_llm or llm,
        clock=clock,
    )
    given.check_id("ULTRON_ACCOUNT", runtime.account_id)
    # a given embedder is used whatever model the account has: nothing else can make its vectors
    other = partial(embedder_of, settings=settings, redact=redact) if embedder is None else _none
    return CurrentModel(runtime, other)


def _none(_: str) -> None:
    """No other embedder than the given one."""
