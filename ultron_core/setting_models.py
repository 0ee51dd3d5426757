"""The settings of models: the main one, the judge, the embedder."""

from __future__ import annotations

from ultron_core.setting_stages import Stage, setting

__all__ = ["DASHSCOPE_URL", "OPENAI_URL", "EmbeddingSettings", "LLMSettings", "QualityLLMSettings"]

DASHSCOPE_URL = "https://dashscope.aliyuncs.com/compatible-mode/v1"
OPENAI_URL = "https://api.openai.com/v1"


class LLMSettings(Stage):
    """The main model, any OpenAI-compatible endpoint. No key means offline."""

    api_key: str | None = setting(
        None,
        "ULTRON_API_KEY",
        "ULTRON_LLM_API_KEY",
        "OPENAI_API_KEY",
        "DASHSCOPE_API_KEY",
        secret=True,
        about="Key of the endpoint; without one every stage works offline. OPENAI_API_KEY alone does not "
        "switch the model on: name a model, a provider or a URL as well.",
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
        200_000, "ULTRON_LLM_MAX_INPUT_TOKENS", ge=1024, about="Maximum tokens of one request."
    )
    prompt_reserve_tokens: int = setting(
        8192, "ULTRON_LLM_PROMPT_RESERVE_TOKENS", ge=0, about="Tokens kept free for the answer."
    )
    token_encoding: str = setting(
        "cl100k_base",
        "ULTRON_LLM_TOKEN_COUNT_ENCODING",
        pattern="^(cl100k_base|o200k_base)$",
        about="tiktoken encoding used to count tokens.",
    )
    timeout_seconds: float = setting(
        600, "ULTRON_LLM_REQUEST_TIMEOUT", gt=0, about="Time limit for one answer in seconds."
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
    max_concurrency: int = setting(
        4, "ULTRON_LLM_MAX_CONCURRENCY", ge=1, le=64, about="Requests in flight at once."
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
    def enabled(self) -> bool:
        """Whether a remote model is used at all."""
        return bool(self.api_key) and not self.offline

    @property
    def url(self) -> str:
        return self.base_url or (OPENAI_URL if self.provider == "openai" else DASHSCOPE_URL)

    @property
    def model_name(self) -> str:
        return self.model or ("gpt-5-mini" if self.provider == "openai" else "qwen3.6-flash")

    @property
    def window_tokens(self) -> int:
        """Tokens of user text that fit one request (max input less the reserve, at least 256)."""
        return max(self.max_input_tokens - self.prompt_reserve_tokens, 256)


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
