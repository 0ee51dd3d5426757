"""The client of OpenAI-compatible endpoints: structured answers, retries, limits, cache, cost.

What may go wrong becomes one of three errors: ModelUnavailableError (try again later), ModelAnswerError (this
question gets no usable answer), BudgetExceededError. A key never appears in a message.
"""

from __future__ import annotations

import hashlib
import json
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai
from pydantic import BaseModel

from ultron_core.errors import ModelAnswerError, ModelUnavailableError
from ultron_core.llm.answers import json_schema_format, parse_answer, schema_instructions
from ultron_core.llm.ledger import AnswerCache, CallLedger, LLMCall, MemoryCache, MemoryLedger
from ultron_core.llm.limits import Limits
from ultron_core.llm.protocol import Answer
from ultron_core.llm.tokens import token_counter
from ultron_core.settings import LLMSettings

__all__ = ["OpenAICompatibleLLM"]

#: nobody waits longer than this for a rate limit to pass inside one call
_MOST_WAIT = 60.0
_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
#: ways to ask for JSON, best first; an endpoint that refuses one is asked in the next way from then on
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
        self._ledger: CallLedger = ledger if ledger is not None else MemoryLedger()
        self._redact = redact if settings.redact_input else None
        self._now, self._monotonic, self._sleep, self._jitter = now, monotonic, sleep, jitter
        self._limits = Limits(settings, self._ledger, monotonic, sleep)
        self._count = token_counter(settings.token_encoding)
        self._mode = 0
        self._mode_lock = threading.Lock()
        self._client = openai.OpenAI(
            api_key=settings.api_key or "none",
            base_url=settings.url,
            timeout=settings.timeout_seconds,
            max_retries=0,  # ours count each try and honour the budget
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
            self._record(stage, key, 0, 0, 0.0, cached=True)
            return parse_answer(known, schema)
        text = self._ask(chat, schema, stage, key)
        try:
            answer = parse_answer(text, schema)
        except ModelAnswerError as error:
            again = f"That does not fit: {error}. Answer again, with the JSON value alone."
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
                f"{self.model_id} gave no usable answer for {stage or 'this'} in two tries: {error}"
            ) from error

    def _clean(self, message: Mapping[str, str]) -> dict[str, str]:
        content = message["content"]
        return {"role": message["role"], "content": self._redact(content) if self._redact else content}

    def _key(self, chat: Sequence[Mapping[str, str]], schema: type[BaseModel]) -> str:
        asked = [self.model_id, list(chat), schema.model_json_schema()]
        return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def _ask(self, chat: Sequence[Mapping[str, str]], schema: type[BaseModel], stage: str, key: str) -> str:
        """The text of one answer, with tries again for what may pass by itself."""
        size = sum(self._count(message["content"]) for message in chat)
        problem: Exception | None = None
        for attempt in range(self._settings.max_retries + 1):
            self._limits.check(size)
            started = self._monotonic()
            try:
                with self._limits.slot():
                    return self._request(chat, schema, stage, key, size)
            except (openai.APIError, ValueError, _NoAnswer) as error:
                # ValueError: a body that is no JSON, such as a proxy's error page
                reason = self._describe(error)
                self._record(stage, key, 0, 0, self._monotonic() - started, error=reason)
                if not _may_pass(error):
                    raise ModelUnavailableError(reason) from None
                problem = error
            if attempt < self._settings.max_retries:
                self._sleep(self._wait(problem, attempt))
        tries = self._settings.max_retries + 1
        raise ModelUnavailableError(f"{self._describe(problem)} ({tries} tries)") from None

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
            raise _NoAnswer
        text = response.choices[0].message.content or ""
        usage = getattr(response, "usage", None)
        used_in = int(getattr(usage, "prompt_tokens", None) or size)
        used_out = int(getattr(usage, "completion_tokens", None) or self._count(text))
        self._limits.spent(used_in + used_out)
        self._record(stage, key, used_in, used_out, self._monotonic() - started)
        return text

    def _create(self, chat: Sequence[Mapping[str, str]], schema: type[BaseModel]) -> Any:
        """One request in the best way the endpoint takes; a refused way is not tried again."""
        while True:
            mode = self._mode
            try:
                return self._client.chat.completions.create(
                    model=self.model_id, temperature=0, **self._body(chat, schema, _MODES[mode])
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError):
                if mode + 1 >= len(_MODES):
                    raise
                with self._mode_lock:
                    self._mode = max(self._mode, mode + 1)

    def _body(self, chat: Sequence[Mapping[str, str]], schema: type[BaseModel], mode: str) -> dict[str, Any]:
        if mode == "json_schema":
            return {"messages": list(chat), "response_format": json_schema_format(schema)}
        told = [
            *chat[:-1],
            {**chat[-1], "content": f"{chat[-1]['content']}\n\n{schema_instructions(schema)}"},
        ]
        if mode == "json_object":
            return {"messages": told, "response_format": {"type": "json_object"}}
        return {"messages": told}

    def _wait(self, problem: Exception | None, attempt: int) -> float:
        told = _retry_after(problem, self._now())
        if told is not None:
            return min(told, _MOST_WAIT)
        return min(self._settings.retry_base_delay * float(2**attempt) * (0.5 + self._jitter()), _MOST_WAIT)

    def _describe(self, error: Exception | None) -> str:
        """What happened and what to check, without the key."""
        place = f"{self.model_id} at {self._settings.url}"
        if isinstance(error, openai.APITimeoutError):
            return f"{place} did not answer within {self._settings.timeout_seconds:g} s (ULTRON_LLM_REQUEST_TIMEOUT)."
        if isinstance(error, openai.APIStatusError):
            return f"{place} answered {error.status_code}. {_HELP.get(error.status_code, 'Try again later.')}"
        if isinstance(error, ValueError | _NoAnswer):
            return f"{place} answered something that is no chat completion. Check ULTRON_LLM_BASE_URL."
        return f"{place} cannot be reached. Check ULTRON_LLM_BASE_URL and that the endpoint runs."

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


_HELP = {
    401: "The key is not accepted: check ULTRON_LLM_API_KEY.",
    403: "The key may not use this model: check ULTRON_LLM_API_KEY and ULTRON_MODEL.",
    404: "There is no such model or path: check ULTRON_MODEL and ULTRON_LLM_BASE_URL.",
    429: "The rate limit is reached: try later, or set ULTRON_LLM_REQUESTS_PER_MINUTE.",
}


class _NoAnswer(Exception):
    """The endpoint answered, but not with a completion."""


def _may_pass(error: Exception) -> bool:
    if isinstance(error, openai.APIStatusError):
        return error.status_code in _TRY_AGAIN
    return True  # connection refused, dropped, timed out, or an answer that is no JSON


def _retry_after(error: Exception | None, now: datetime) -> float | None:
    """Seconds the endpoint asks to wait, given as a number or a date."""
    if not isinstance(error, openai.APIStatusError):
        return None
    value = error.response.headers.get("retry-after")
    if not value:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(value) - now).total_seconds(), 0.0)
    except ValueError:
        return None
