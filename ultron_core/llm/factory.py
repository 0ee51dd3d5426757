"""From settings to clients; None means offline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ultron_core.llm.ledger import AnswerCache, CallLedger
from ultron_core.llm.protocol import LLM, Named
from ultron_core.setting_models import DASHSCOPE_URL, LLMSettings
from ultron_core.settings import Settings

__all__ = ["make_llm", "make_quality_llm", "model_names"]


def make_llm(
    settings: Settings, *, cache: AnswerCache, ledger: CallLedger, redact: Callable[[str], str]
) -> LLM | None:
    """The main model, or None when no key is set or ULTRON_OFFLINE is."""
    if not settings.llm.enabled:
        return None
    return _client(settings.llm, cache, ledger, redact)


def make_quality_llm(
    settings: Settings, *, cache: AnswerCache, ledger: CallLedger, redact: Callable[[str], str]
) -> LLM | None:
    """The judge: its own settings where given, else a larger one on DashScope; None when the main model judges."""
    merged = _quality_settings(settings)
    return _client(merged, cache, ledger, redact) if merged is not None else None


def model_names(settings: Settings) -> tuple[Named | None, Named | None]:
    """The main model and the judge by name; None offline."""
    main = _Name(settings.llm.model_name) if settings.llm.enabled else None
    own = _quality_settings(settings)
    return main, _Name(own.model_name) if own is not None else main


@dataclass(frozen=True, slots=True)
class _Name:
    model_id: str


def _quality_settings(settings: Settings) -> LLMSettings | None:
    if settings.llm.offline or not (settings.quality_llm.api_key or settings.llm.enabled):
        return None
    own, main = settings.quality_llm, settings.llm
    url = own.base_url or main.url
    stronger = "qwen3.6-plus" if url == DASHSCOPE_URL and main.model is None else main.model_name
    merged = main.model_copy(
        update={
            "api_key": own.api_key or main.api_key,
            "base_url": url,
            "model": own.model or stronger,
        }
    )
    if (merged.url, merged.model_name, merged.api_key) == (main.url, main.model_name, main.api_key):
        return None  # one client for both: it is asked both questions at once
    return merged


def _client(
    settings: LLMSettings, cache: AnswerCache, ledger: CallLedger, redact: Callable[[str], str]
) -> LLM:
    # the client library takes as long to import as everything else together; offline nobody needs it
    from ultron_core.llm.client import OpenAICompatibleLLM

    return OpenAICompatibleLLM(settings, cache=cache, ledger=ledger, redact=redact)
