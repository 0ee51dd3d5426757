"""The client of OpenAI-compatible endpoints: structured answers, retries, limits, cache, cost.

Every failure becomes one of three errors: ModelUnavailableError (try again later), ModelAnswerError (this
question gets no usable answer), BudgetExceededError. A key never appears in a message.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import openai
from pydantic import BaseModel

from ultron_core.errors import ContextTooLongError, ModelAnswerError, ModelError, ModelUnavailableError
from ultron_core.llm.answering.answers import parse_answer
from ultron_core.llm.answering.asking import ask_again, unusable
from ultron_core.llm.clip import fit_tokens
from ultron_core.llm.ledger import AnswerCache, CallLedger, LLMCall, MemoryCache, MemoryLedger
from ultron_core.llm.limits import Limits
from ultron_core.llm.pace import Pace
from ultron_core.llm.protocol import Answer, Check
from ultron_core.llm.tokens import token_counter
from ultron_core.llm.wire.completion import Completion, NotACompletion
from ultron_core.llm.wire.endpoint import Endpoint
from ultron_core.llm.wire.transport import AnswerTooLargeError
from ultron_core.llm.wire.trouble import (
    MOST_WAIT,
    describe,
    final_error,
    is_loading,
    is_transient,
    retry_after,
)
from ultron_core.settings import LLMSettings

__all__ = ["OpenAICompatibleLLM"]

Chat = Sequence[Mapping[str, str]]
#: characters of a refused answer that are shown to the model again, and tokens below which they say nothing
_SHOWN, _WORTH_SHOWING = 20_000, 32
#: A server that reads less than a third of what was sent has cut it (Ollama does so at 4,096 tokens and answers all
#: the same); tokenizers differ by less than a factor of two. Below this size templates weigh too much to tell.
_SURELY_COUNTED, _SILENTLY_CUT = 8_000, 3
#: seconds for which a server that loads its model is waited for, and between two looks
_LOADS, _LOOKS_AGAIN = 120.0, 2.0
#: no model reads less: a request below it that is refused as too long says nothing about others of its size
_SURELY_SHORT = 512


def _credible(told: int | None, counted: int) -> int:
    """The tokens that an endpoint reports, unless they are less than half of what is counted here: a budget must not
    rest on the word of whoever is paid."""
    return told if told is not None and told * 2 >= counted else counted


def _accept(_: BaseModel) -> str:
    return ""


def _read_whole(
    completion: Completion, schema: type[Answer], check: Check[Answer]
) -> tuple[Answer | None, str]:
    """(answer, what is wrong): no part of an answer that was cut off counts."""
    if completion.cut_off:
        return None, "the answer was cut off at its limit of tokens; answer shorter"
    return _read(completion.text, schema, check)


def _read(text: str, schema: type[Answer], check: Check[Answer]) -> tuple[Answer | None, str]:
    try:
        answer = parse_answer(text, schema)
    except ModelAnswerError as error:
        return None, str(error)
    return answer, check(answer)


class OpenAICompatibleLLM:
    """An LLM (see llm.protocol) behind an HTTP endpoint. Safe to share between threads."""

    def __init__(
        self,
        settings: LLMSettings,
        *,
        cache: AnswerCache | None = None,
        ledger: CallLedger | None = None,
        redact: Callable[[str], str] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`redact` is applied to every text that is sent when the settings say so (the default)."""
        self._settings = settings
        self._cache: AnswerCache = cache if cache is not None else MemoryCache()
        self._ledger: CallLedger = ledger if ledger is not None else MemoryLedger(now)
        self._redact = redact if settings.redact_input else None
        self._now, self._monotonic, self._sleep, self._jitter = now, monotonic, sleep, jitter
        self._limits = Limits(settings, self._ledger, monotonic, sleep)
        self._count = token_counter(settings.token_encoding)
        #: tokens of the smallest request that is too long, by the settings or as the endpoint has refused it
        self._too_long = settings.window_tokens + 1
        self._endpoint = Endpoint(settings)
        self.pace = Pace()

    @property
    def model_id(self) -> str:
        return self._settings.model_name

    def complete(
        self, messages: Sequence[Mapping[str, str]], schema: type[Answer], *, stage: str = ""
    ) -> Answer:
        """An instance of `schema`; an answer that does not fit is shown to the model once with what is wrong."""
        return self.complete_checked(messages, schema, _accept, stage=stage)

    def complete_checked(
        self,
        messages: Sequence[Mapping[str, str]],
        schema: type[Answer],
        check: Check[Answer],
        *,
        stage: str = "",
    ) -> Answer:
        """The same; an answer that `check` refuses is asked for again once, and never cached."""
        chat = [self._clean(message) for message in messages]
        key = self._key(chat, schema)
        known = self._cache.get(key)
        if known is not None:
            # an answer cached by another version may no longer fit: then the model is asked again
            answer, problem = _read(known, schema, check)
            if answer is not None and not problem:
                self._record(stage, key, 0, 0, 0.0, cached=True)
                return answer
        completion = self._ask(chat, schema, stage, key)
        answer, problem = _read_whole(completion, schema, check)
        if answer is None or problem:
            completion = self._ask(self._again(chat, schema, completion.text, problem), schema, stage, key)
            answer, problem = _read_whole(completion, schema, check)
        if answer is None or problem:
            raise unusable(self.model_id, stage, problem)
        self._cache.put(key, stage, self.model_id, completion.text)
        return answer

    def _again(self, chat: Chat, schema: type[BaseModel], said: str, problem: str) -> list[dict[str, str]]:
        """The second question, with as much of the refused answer as it has room for."""
        room = self._too_long - 1 - self._size(ask_again(chat, "", problem), schema)
        shown = fit_tokens(said[:_SHOWN], room, self._count) if room >= _WORTH_SHOWING else ""
        return [dict(message) for message in ask_again(chat, shown, problem)]

    def _size(self, chat: Chat, schema: type[BaseModel]) -> int:
        """Tokens of a request, the schema included where it is told in words."""
        told = self._endpoint.told(schema)
        return sum(self._count(message["content"]) for message in chat) + (self._count(told) if told else 0)

    def _clean(self, message: Mapping[str, str]) -> dict[str, str]:
        content = message["content"]
        if self._redact:
            content = self._redact(content)
        # half a surrogate pair cannot be sent as UTF-8
        return {"role": message["role"], "content": content.encode("utf-8", "replace").decode("utf-8")}

    def _key(self, chat: Chat, schema: type[BaseModel]) -> str:
        asked = [self.model_id, list(chat), schema.model_json_schema()]
        return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def _ask(self, chat: Chat, schema: type[BaseModel], stage: str, key: str) -> Completion:
        """One answer, with retries for transient failures."""
        size = self._size(chat, schema)
        if size >= self._too_long:
            raise ContextTooLongError(
                f"A request of {size:,} tokens is too long for {self.model_id}: it takes less than {self._too_long:,} "
                "(ULTRON_LLM_MAX_INPUT_TOKENS, or what the endpoint refused)."
            )
        tries = self._settings.max_retries + 1
        reason, attempt, asked = "", 0, self._monotonic()
        while attempt < tries:
            started = self._monotonic()
            try:
                with self._limits.reserve(size), self._limits.slot():
                    return self._request(chat, schema, stage, key, size)
            except (openai.APIError, NotACompletion, AnswerTooLargeError) as error:
                reason = describe(error, self._settings)
                self._record(stage, key, 0, 0, self._monotonic() - started, error=reason)
                if not is_transient(error):
                    raise self._final(error, size) from None
                wait = self._wait(error, attempt)
                if is_loading(error) and started - asked < _LOADS:
                    self._sleep(_LOOKS_AGAIN)
                    continue
            attempt += 1
            if attempt < tries:
                self._sleep(wait)
        raise ModelUnavailableError(f"{reason} ({tries} attempts)")

    def _final(self, error: Exception, size: int) -> ModelError:
        final = final_error(error, self._settings)
        if isinstance(final, ContextTooLongError) and size > _SURELY_SHORT:
            self._too_long = min(self._too_long, size)
        return final

    def _request(self, chat: Chat, schema: type[BaseModel], stage: str, key: str, size: int) -> Completion:
        started = self._monotonic()
        completion = self._endpoint.send(chat, schema)
        read = completion.input_tokens or size
        used_in = _credible(read, size)
        used_out = _credible(completion.output_tokens, self._count(completion.text))
        self._limits.spent(used_in + used_out)
        seconds = self._monotonic() - started
        self.pace.add(used_out, seconds)
        self._record(stage, key, used_in, used_out, seconds)
        if size > _SURELY_COUNTED and read * _SILENTLY_CUT < size:
            self._too_long = min(self._too_long, size)
            raise ContextTooLongError(
                f"{self.model_id} read {read:,} of about {size:,} tokens: the server cuts requests silently. "
                "Raise its context or lower ULTRON_LLM_MAX_INPUT_TOKENS."
            )
        return completion

    def _wait(self, problem: Exception, attempt: int) -> float:
        delay = retry_after(problem, self._now())
        if delay is not None:
            return min(delay, MOST_WAIT)
        return min(self._settings.retry_base_delay * float(2**attempt) * (0.5 + self._jitter()), MOST_WAIT)

    def _record(
        self,
        stage: str,
        key: str,
        used_in: int,
        used_out: int,
        seconds: float,
        *,
        cached: bool = False,
        error: str | None = None,
    ) -> None:
        prices = self._settings.price_input_per_million, self._settings.price_output_per_million
        cost = (used_in * prices[0] + used_out * prices[1]) / 1e6
        self._ledger.record(
            LLMCall(
                stage,
                self.model_id,
                key[:16],
                used_in,
                used_out,
                cost,
                seconds * 1000,
                cached,
                error,
                self._now(),
            )
        )
