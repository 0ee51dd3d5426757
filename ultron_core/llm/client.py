"""The client of OpenAI-compatible endpoints: structured answers, retries, limits, cache, cost.

Every failure becomes one of three errors: ModelUnavailableError (try again later), ModelAnswerError (this
question gets no usable answer), BudgetExceededError. A key never appears in a message.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from string import Template
from typing import Any

import openai
from pydantic import BaseModel

from ultron_core.errors import ModelAnswerError, ModelUnavailableError
from ultron_core.llm.answers import json_schema_format, parse_answer, schema_instructions
from ultron_core.llm.ledger import AnswerCache, CallLedger, LLMCall, MemoryCache, MemoryLedger
from ultron_core.llm.limits import Limits
from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.protocol import Answer
from ultron_core.llm.tokens import token_counter
from ultron_core.llm.trouble import (
    MOST_WAIT,
    NotACompletion,
    describe,
    final_error,
    is_transient,
    rejects_temperature,
    retry_after,
)
from ultron_core.settings import LLMSettings

__all__ = ["OpenAICompatibleLLM"]

#: ways to ask for JSON, best first; a refused one is given up once the next one has worked
_MODES = ("json_schema", "json_object", "plain")


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
        self._mode = 0
        self._temperature: dict[str, Any] = {"temperature": 0}
        self._mode_lock = threading.Lock()
        self._client = openai.OpenAI(
            api_key=settings.api_key or "none",
            base_url=settings.url,
            timeout=settings.timeout_seconds,
            max_retries=0,  # our own retries are recorded and count towards the budget
        )

    @property
    def model_id(self) -> str:
        return self._settings.model_name

    def complete(
        self, messages: Sequence[Mapping[str, str]], schema: type[Answer], *, stage: str = ""
    ) -> Answer:
        """An instance of `schema`; an answer that does not fit is shown to the model once with what is wrong."""
        chat = [self._clean(message) for message in messages]
        key = self._key(chat, schema)
        known = self._cache.get(key)
        if known is not None:
            # an answer cached by another version may no longer fit: then the model is asked again
            with suppress(ModelAnswerError):
                answer = parse_answer(known, schema)
                self._record(stage, key, 0, 0, 0.0, cached=True)
                return answer
        text = self._ask(chat, schema, stage, key)
        try:
            answer = parse_answer(text, schema)
        except ModelAnswerError as error:
            again = Template(read_prompt("ultron_core.llm", "again")).substitute(problem=error)
            chat = [*chat, {"role": "assistant", "content": text}, {"role": "user", "content": again}]
            text = self._ask(chat, schema, stage, key)
            answer = self._second(text, schema, stage)
        self._cache.put(key, stage, self.model_id, text)
        return answer

    def _second(self, text: str, schema: type[Answer], stage: str) -> Answer:
        try:
            return parse_answer(text, schema)
        except ModelAnswerError as error:
            raise ModelAnswerError(
                f"{self.model_id} gave no usable answer for {stage or 'this'} in two attempts: {error}"
            ) from error

    def _clean(self, message: Mapping[str, str]) -> dict[str, str]:
        content = message["content"]
        if self._redact:
            content = self._redact(content)
        # half a surrogate pair cannot be sent as UTF-8
        return {"role": message["role"], "content": content.encode("utf-8", "replace").decode("utf-8")}

    def _key(self, chat: Sequence[Mapping[str, str]], schema: type[BaseModel]) -> str:
        asked = [self.model_id, list(chat), schema.model_json_schema()]
        return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def _ask(self, chat: Sequence[Mapping[str, str]], schema: type[BaseModel], stage: str, key: str) -> str:
        """The text of one answer, with retries for transient failures."""
        size = sum(self._count(message["content"]) for message in chat)
        tries = self._settings.max_retries + 1
        reason = ""
        for attempt in range(tries):
            started = self._monotonic()
            try:
                with self._limits.reserve(size), self._limits.slot():
                    return self._request(chat, schema, stage, key, size)
            except (openai.APIError, ValueError, NotACompletion) as error:
                # ValueError: a body that is not JSON, such as a proxy's error page
                reason = describe(error, self._settings)
                self._record(stage, key, 0, 0, self._monotonic() - started, error=reason)
                if not is_transient(error):
                    raise final_error(error, self._settings) from None
                wait = self._wait(error, attempt)
            if attempt + 1 < tries:
                self._sleep(wait)
        raise ModelUnavailableError(f"{reason} ({tries} attempts)")

    def _request(
        self,
        chat: Sequence[Mapping[str, str]],
        schema: type[BaseModel],
        stage: str,
        key: str,
        size: int,
    ) -> str:
        started = self._monotonic()
        response = self._create(chat, schema)
        if not getattr(response, "choices", None):
            raise NotACompletion
        text = response.choices[0].message.content or ""
        usage = getattr(response, "usage", None)
        used_in = int(getattr(usage, "prompt_tokens", None) or size)
        used_out = int(getattr(usage, "completion_tokens", None) or self._count(text))
        self._limits.spent(used_in + used_out)
        self._record(stage, key, used_in, used_out, self._monotonic() - started)
        return text

    def _create(self, chat: Sequence[Mapping[str, str]], schema: type[BaseModel]) -> Any:
        """One request in the best way that the endpoint accepts."""
        mode = self._mode
        while True:
            try:
                response = self._client.chat.completions.create(
                    model=self.model_id, **self._temperature, **self._body(chat, schema, _MODES[mode])
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if self._temperature and rejects_temperature(error):
                    self._temperature = {}
                elif mode + 1 < len(_MODES):
                    mode += 1
                else:
                    raise
            else:
                # only now: a request refused in every mode (too long, filtered) says nothing about the modes
                with self._mode_lock:
                    self._mode = max(self._mode, mode)
                return response

    def _body(self, chat: Sequence[Mapping[str, str]], schema: type[BaseModel], mode: str) -> dict[str, Any]:
        if mode == "json_schema":
            return {"messages": list(chat), "response_format": json_schema_format(schema)}
        with_schema = [
            *chat[:-1],
            {**chat[-1], "content": f"{chat[-1]['content']}\n\n{schema_instructions(schema)}"},
        ]
        if mode == "json_object":
            return {"messages": with_schema, "response_format": {"type": "json_object"}}
        return {"messages": with_schema}

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
