"""One endpoint and what it accepts: learned from what it refuses, so that each refusal is paid for once."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import openai
from pydantic import BaseModel

from ultron_core.llm.answering.schemas import asked_schema, json_schema_format, schema_instructions
from ultron_core.llm.wire.completion import Completion, read_completion
from ultron_core.llm.wire.transport import limited_http
from ultron_core.llm.wire.trouble import rejects_answer_limit, rejects_mode, rejects_temperature
from ultron_core.settings import LLMSettings

__all__ = ["Endpoint"]

#: ways to ask for JSON, best first; the second is llama.cpp's own, which its Python server knows alone
_MODES = ("json_schema", "json_object by schema", "json_object", "plain")
#: its place among them
_OF_LLAMA_CPP = 1
#: names of the limit of an answer: newer models of OpenAI take the second alone; some servers take none
_LIMITS = ("max_tokens", "max_completion_tokens", "")
Chat = Sequence[Mapping[str, str]]


class Endpoint:
    """Sends one request in the best way that the endpoint accepts."""

    def __init__(self, settings: LLMSettings) -> None:
        self._settings = settings
        self._modes = _MODES if settings.is_local else (*_MODES[:_OF_LLAMA_CPP], *_MODES[_OF_LLAMA_CPP + 1 :])
        self._mode = self._limit = 0
        self._temperature = True
        self._lock = threading.Lock()
        self._client = openai.OpenAI(
            api_key=settings.api_key or "none",
            base_url=settings.url,
            timeout=settings.seconds,
            max_retries=0,  # our own retries are recorded and count towards the budget
            http_client=limited_http(settings.url, settings.seconds),
        )

    def told(self, schema: type[BaseModel]) -> str:
        """What is added to a request in words, where the endpoint takes no schema."""
        return "" if "schema" in self._modes[self._mode] else schema_instructions(schema)

    def send(self, chat: Chat, schema: type[BaseModel]) -> Completion:
        """Raises openai.APIError, NotACompletion, and ModelAnswerError when the model refused."""
        while True:
            mode, limit, temperature = self._mode, self._limit, self._temperature
            try:
                body = self._body(chat, schema, mode, limit, temperature)
                raw = self._client.chat.completions.with_raw_response.create(**body)
            except (
                openai.BadRequestError,
                openai.UnprocessableEntityError,
                openai.InternalServerError,
            ) as error:
                if not self._learned(error, mode, limit, temperature):
                    raise
            else:
                return read_completion(raw.content)

    def _learned(self, error: openai.APIStatusError, mode: int, limit: int, temperature: bool) -> bool:
        """Whether the refusal names something that can be left out; then it is from now on.

        llama-cpp-python, and old builds of llama-server, refuse a way to ask for JSON with 500.
        """
        with self._lock:
            if temperature and rejects_temperature(error):
                self._temperature = False
            elif _LIMITS[limit] and rejects_answer_limit(error):
                self._limit = max(self._limit, limit + 1)
            elif mode + 1 < len(self._modes) and rejects_mode(error):
                self._mode = max(self._mode, mode + 1)
            else:
                return False
        return True

    def _body(
        self, chat: Chat, schema: type[BaseModel], mode: int, limit: int, temperature: bool
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._settings.model_name, "messages": list(chat)}
        if temperature:
            body["temperature"] = 0
        if _LIMITS[limit] and self._settings.answer_tokens:
            body[_LIMITS[limit]] = self._settings.answer_tokens
        way = self._modes[mode]
        if way == "json_schema":
            return {**body, "response_format": json_schema_format(schema)}
        if way == "json_object by schema":
            return {**body, "response_format": {"type": "json_object", "schema": asked_schema(schema)}}
        words = f"{chat[-1]['content']}\n\n{schema_instructions(schema)}"
        body["messages"] = [*chat[:-1], {**chat[-1], "content": words}]
        if way == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body
