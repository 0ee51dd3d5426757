"""What a failed request means: whether to try again, how long to wait, what to tell a person."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import openai

from ultron_core.errors import ContextTooLongError, ModelAnswerError, ModelError, ModelUnavailableError
from ultron_core.llm.wire.completion import NotACompletion
from ultron_core.llm.wire.transport import MOST_BYTES, AnswerTooLargeError
from ultron_core.settings import LLMSettings

__all__ = [
    "MOST_WAIT",
    "bare_url",
    "describe",
    "final_error",
    "is_loading",
    "is_transient",
    "rejects_answer_limit",
    "rejects_mode",
    "rejects_temperature",
    "retry_after",
]

#: seconds; the longest wait for a rate limit within one call
MOST_WAIT = 60.0
_TRY_AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
#: the request itself is refused; the same text will be refused again
_REFUSED = {400, 413, 422}
#: ... unless the refusal is about the account or the model's name, e.g. `The model gpt-9 does not exist`,
#: `insufficient quota`
_ENDPOINT_AT_FAULT = re.compile(
    r"\bmodel\b.{0,60}\b(not found|not exist|not a valid|not available)|\b(invalid|unknown|no such) model\b"
    r"|arrearage|billing|credit balance|quota|api.?key",
    re.IGNORECASE | re.DOTALL,
)
#: of OpenAI and vLLM, llama.cpp, DashScope, Anthropic: "This model's maximum context length is 8192 tokens",
#: "the request exceeds the available context size", "Range of input length should be [1, 129024]", "prompt is
#: too long"
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|maximum context|too many (?:input )?tokens|range of input length"
    r"|(?:prompt|input|request)\b.{0,40}\btoo (?:long|large)|reduce the length|context_length_exceeded",
    re.IGNORECASE | re.DOTALL,
)
#: "response_format json_schema is not supported", "Extra inputs are not permitted: response_format"
_ANSWER_MODE = re.compile(
    r"response_?format|json_?(?:schema|object|mode)|structured[ _]output|guided_json|\bgrammar\b",
    re.IGNORECASE,
)
#: "(300 in the messages, 8192 in the completion)"
_ANSWER_LIMIT = re.compile(r"max_(?:completion_)?tokens|in the completion")
_REFUSED_HELP = (
    "The request was refused: too long (ULTRON_LLM_MAX_INPUT_TOKENS) or not allowed by the endpoint."
)
_HELP = {
    401: "The key was not accepted: check ULTRON_LLM_API_KEY.",
    403: "The key may not use this model: check ULTRON_LLM_API_KEY and ULTRON_MODEL.",
    404: "No such model or path: check ULTRON_MODEL and ULTRON_LLM_BASE_URL.",
    429: "Rate limit reached: try later, or set ULTRON_LLM_REQUESTS_PER_MINUTE.",
}


def is_transient(error: Exception) -> bool:
    """Whether the same request may succeed in a moment: overload, timeout, a lost connection, a proxy's error page."""
    if isinstance(error, AnswerTooLargeError):
        return False
    if isinstance(error, openai.APIStatusError):
        return error.status_code in _TRY_AGAIN
    return True


def is_loading(error: Exception) -> bool:
    """llama-server answers 503 with "Loading model" until it has read its file."""
    is_503 = isinstance(error, openai.APIStatusError) and error.status_code == 503
    return is_503 and "loading model" in str(error).lower()


def rejects_temperature(error: openai.APIStatusError) -> bool:
    """Reasoning models answer 400 to any temperature but their default."""
    return "temperature" in str(error)


def rejects_answer_limit(error: openai.APIStatusError) -> bool:
    """Whether the limit of the answer is refused: its name, or its size in a small context."""
    return bool(_ANSWER_LIMIT.search(str(error)))


def rejects_mode(error: openai.APIStatusError) -> bool:
    """Whether the way to ask for JSON is refused; a context that is too small says nothing about it."""
    return bool(_ANSWER_MODE.search(str(error))) and not _too_long(error)


def _too_long(error: openai.APIStatusError) -> bool:
    return error.status_code == 413 or bool(_TOO_LONG.search(str(error)))


def retry_after(error: Exception | None, now: datetime) -> float | None:
    """Seconds the endpoint asks to wait, given as a number or a date; None when it does not say."""
    if not isinstance(error, openai.APIStatusError):
        return None
    value = error.response.headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        return _seconds_until(value, now)
    return None if math.isnan(seconds) else max(seconds, 0.0)


def _seconds_until(value: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    if then.tzinfo is None:  # "-0000" means UTC with the local zone unknown
        then = then.replace(tzinfo=UTC)
    return max((then - now).total_seconds(), 0.0)


def describe(error: Exception | None, settings: LLMSettings) -> str:
    """What happened and what to check, without the key."""
    here = (
        " `ultron model` says what this machine offers." if settings.is_local and _may_be_gone(error) else ""
    )
    return _described(error, settings) + here


def _may_be_gone(error: Exception | None) -> bool:
    """Whether another server or model may be there than the one that was asked for."""
    status = error.status_code if isinstance(error, openai.APIStatusError) else 0
    return status == 404 or isinstance(error, openai.APIConnectionError | NotACompletion)


def _described(error: Exception | None, settings: LLMSettings) -> str:
    place = f"{settings.model_name} at {bare_url(settings.url)}"
    if isinstance(error, openai.APITimeoutError):
        limit = f"{settings.seconds:g} s (ULTRON_LLM_REQUEST_TIMEOUT)"
        return f"{place} did not answer within {limit}."
    if error is not None and is_loading(error):
        return f"{place} is still loading its model."
    if isinstance(error, openai.APIStatusError):
        return f"{place} answered {error.status_code}. {_help(error)}"
    if isinstance(error, AnswerTooLargeError):
        return f"{place} answered with more than {MOST_BYTES:,} bytes, or in a packing that was not offered."
    if isinstance(error, ValueError | NotACompletion):
        return f"{place} answered with something that is not a chat completion. Check ULTRON_LLM_BASE_URL."
    return f"{place} cannot be reached. Check ULTRON_LLM_BASE_URL and that the endpoint is running."


def _help(error: openai.APIStatusError) -> str:
    if error.status_code in _REFUSED:
        return "Check the account and ULTRON_MODEL." if _at_fault(error) else _REFUSED_HELP
    if 300 <= error.status_code < 400:
        return (
            "Redirects are not followed, since they would send the prompt elsewhere: set ULTRON_LLM_BASE_URL."
        )
    return _HELP.get(error.status_code, "Try again later.")


def _at_fault(error: openai.APIStatusError) -> bool:
    return bool(_ENDPOINT_AT_FAULT.search(str(error)))


def final_error(error: Exception, settings: LLMSettings) -> ModelError:
    """The error of a request that is not retried.

    A refused request (too long, filtered) is a ModelAnswerError, so that its row eventually runs out of attempts;
    anything else is the endpoint's fault and leaves the row all its attempts.
    """
    reason = describe(error, settings)
    if isinstance(error, AnswerTooLargeError):
        return ModelAnswerError(reason)
    if isinstance(error, openai.APIStatusError) and error.status_code in _REFUSED and _too_long(error):
        return ContextTooLongError(reason)
    status = error.status_code if isinstance(error, openai.APIStatusError) else 0
    if isinstance(error, openai.APIStatusError) and status in _REFUSED and not _at_fault(error):
        return ModelAnswerError(reason)
    return ModelUnavailableError(reason)


def bare_url(url: str) -> str:
    """The address without user, password and query, any of which may be a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
