"""The settings of models: the main one, the judge, the embedder."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from ultron_core.setting_stages import Stage, setting

__all__ = [
    "DASHSCOPE_URL",
    "OPENAI_URL",
    "EmbeddingSettings",
    "LLMSettings",
    "QualityLLMSettings",
    "is_loopback",
    "needed_context",
]

DASHSCOPE_URL = "https://dashscope.aliyuncs.com/compatible-mode/v1"
OPENAI_URL = "https://api.openai.com/v1"
#: the answer gets no more of the context: with 8,192 tokens of 4,096 nothing would be left for what is asked
_ANSWER_SHARE = 4
#: tokens for what is not counted beforehand: the template of a chat, and why an answer is asked for again
_AROUND = 160
#: a server on this machine loads its model first, and may read 40 and write 10 tokens a second: seconds and rates
_LOADS, _READS, _WRITES = 120.0, 40.0, 10.0
#: seconds for an answer, and requests at once, of a server elsewhere
_ELSEWHERE_SECONDS, _ELSEWHERE_AT_ONCE = 600.0, 4


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own, by its name or number alone: nothing is looked up."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def needed_context(asked: int) -> int:
    """The context of a model that can be asked with this many tokens, its answer included."""
    return -(-(asked + _AROUND) * _ANSWER_SHARE // (_ANSWER_SHARE - 1))


class LLMSettings(Stage):
    """The main model, any OpenAI-compatible endpoint. Offline without a key, or a server and model of this machine."""

    api_key: str | None = setting(
        None,
        "ULTRON_API_KEY",
        "ULTRON_LLM_API_KEY",
        "OPENAI_API_KEY",
        "DASHSCOPE_API_KEY",
        secret=True,
        about="Key of the endpoint; a server on this machine needs none. Without key and such a server every stage "
        "works offline. OPENAI_API_KEY alone does not switch the model on: name a model, a provider or a URL as well.",
    )
    key_variable: str | None = setting(
        None,
        "ULTRON_LLM_KEY_VARIABLE",
        pattern="^[A-Z][A-Z0-9_]*$",
        about="Name of the variable that holds the key, where it is another vendor's, e.g. DEEPSEEK_API_KEY; "
        "`ultron model` writes it, so that no key stands in a file.",
    )
    provider: str | None = setting(
        None, "ULTRON_LLM_PROVIDER", pattern="^(dashscope|openai)$", about="dashscope or openai."
    )
    base_url: str | None = setting(
        None,
        "ULTRON_BASE_URL",
        "ULTRON_LLM_BASE_URL",
        "ULTRON_LLM_API_URL",
        "OPENAI_BASE_URL",
        about="Endpoint; the default follows the provider.",
    )
    model: str | None = setting(
        None, "ULTRON_MODEL", "ULTRON_LLM_MODEL", about="Model name; default qwen3.6-flash (DashScope)."
    )
    offline: bool = setting(False, "ULTRON_OFFLINE", about="1 uses no remote model, even when a key is set.")
    redact_input: bool = setting(
        True, "ULTRON_LLM_REDACT_INPUT", about="Redact what is sent to a model first."
    )
    max_input_tokens: int = setting(
        200_000,
        "ULTRON_LLM_MAX_INPUT_TOKENS",
        ge=1024,
        about="Context of the model: tokens of a request with its answer.",
    )
    prompt_reserve_tokens: int = setting(
        8192,
        "ULTRON_LLM_PROMPT_RESERVE_TOKENS",
        ge=0,
        about="Tokens kept free for the answer, at most a quarter of the context.",
    )
    token_encoding: str = setting(
        "cl100k_base",
        "ULTRON_LLM_TOKEN_COUNT_ENCODING",
        pattern="^(cl100k_base|o200k_base)$",
        about="tiktoken encoding used to count tokens.",
    )
    timeout_seconds: float | None = setting(
        None,
        "ULTRON_LLM_REQUEST_TIMEOUT",
        gt=0,
        about="Time limit for one answer in seconds; default 600, on this machine what loading the model, reading the "
        "context at 40 tokens a second and writing the answer at 10 take.",
    )
    max_retries: int = setting(
        2, "ULTRON_LLM_MAX_RETRIES", ge=0, le=10, about="Retries after the first attempt."
    )
    retry_base_delay: float = setting(
        1.0,
        "ULTRON_LLM_RETRY_BASE_DELAY",
        ge=0,
        about="Seconds before the first retry; doubles each time.",
    )
    max_concurrency: int | None = setting(
        None,
        "ULTRON_LLM_MAX_CONCURRENCY",
        ge=1,
        le=64,
        about="Requests in flight at once; default 4, one for a server on this machine.",
    )
    requests_per_minute: int = setting(
        0, "ULTRON_LLM_REQUESTS_PER_MINUTE", ge=0, about="Requests per minute; 0 = no limit."
    )
    budget_run_tokens: int = setting(
        0, "ULTRON_LLM_BUDGET_RUN_TOKENS", ge=0, about="Hard limit of tokens per run; 0 = none."
    )
    budget_day_tokens: int = setting(
        0, "ULTRON_LLM_BUDGET_DAY_TOKENS", ge=0, about="Hard limit of tokens per UTC day; 0 = none."
    )
    price_input_per_million: float = setting(
        0.0, "ULTRON_LLM_PRICE_INPUT", ge=0, about="Price per million input tokens, for cost figures."
    )
    price_output_per_million: float = setting(
        0.0, "ULTRON_LLM_PRICE_OUTPUT", ge=0, about="Price per million output tokens."
    )

    @property
    def is_local(self) -> bool:
        """Whether the endpoint is a server on this machine."""
        return is_loopback(self.url)

    @property
    def enabled(self) -> bool:
        """Whether a model is used at all."""
        return not self.offline and (bool(self.api_key) or (self.is_local and self.model is not None))

    @property
    def url(self) -> str:
        return self.base_url or (OPENAI_URL if self.provider == "openai" else DASHSCOPE_URL)

    @property
    def model_name(self) -> str:
        return self.model or ("gpt-5-mini" if self.provider == "openai" else "qwen3.6-flash")

    @property
    def answer_tokens(self) -> int:
        """Tokens kept free for the answer; 0 sets it no limit."""
        return min(self.prompt_reserve_tokens, self.max_input_tokens // _ANSWER_SHARE)

    @property
    def window_tokens(self) -> int:
        """Tokens of all that is asked in one request: the context less the answer."""
        return self.max_input_tokens - self.answer_tokens

    def room_for(self, instructions: int) -> int:
        """Tokens of a record that fit one request beside instructions of this many; may be negative."""
        return self.window_tokens - instructions - _AROUND

    @property
    def seconds(self) -> float:
        """Time limit for one answer."""
        if self.timeout_seconds is not None:
            return self.timeout_seconds
        own = _LOADS + self.window_tokens / _READS + self.answer_tokens / _WRITES
        return max(own, _ELSEWHERE_SECONDS) if self.is_local else _ELSEWHERE_SECONDS

    @property
    def at_once(self) -> int:
        """Requests in flight at once."""
        return self.max_concurrency or (1 if self.is_local else _ELSEWHERE_AT_ONCE)


class QualityLLMSettings(Stage):
    """The model that judges quality; unset fields follow the main model."""

    api_key: str | None = setting(
        None, "ULTRON_QUALITY_LLM_API_KEY", secret=True, about="Key of the judge; default: the main one."
    )
    base_url: str | None = setting(
        None, "ULTRON_QUALITY_LLM_BASE_URL", about="Endpoint of the judge; default: the main one."
    )
    model: str | None = setting(
        None, "ULTRON_QUALITY_LLM_MODEL", about="Judge; default qwen3.6-plus on DashScope, else the main one."
    )


class EmbeddingSettings(Stage):
    """Vectors for search, dedup and clusters."""

    backend: str = setting(
        "local",
        "ULTRON_EMBEDDING_BACKEND",
        pattern="^(local|openai)$",
        about="local (offline, in the package) or openai (any compatible /embeddings endpoint).",
    )
    model: str = setting("text-embedding-v4", "ULTRON_EMBEDDING_MODEL", about="Remote embedding model.")
    dimension: int = setting(
        1024, "ULTRON_EMBEDDING_DIMENSION", ge=2, le=4000, about="Dimension of the remote model."
    )
    base_url: str | None = setting(
        None, "ULTRON_EMBEDDING_BASE_URL", about="Remote embedding endpoint; default: the main model's."
    )
    api_key: str | None = setting(
        None, "ULTRON_EMBEDDING_API_KEY", secret=True, about="Its key; default: the main model's."
    )
    batch_size: int = setting(64, "ULTRON_EMBEDDING_BATCH_SIZE", ge=1, le=2048, about="Texts per request.")
