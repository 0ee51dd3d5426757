"""The settings of each stage: one frozen record, every field with its variables and one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "DASHSCOPE_URL",
    "OPENAI_URL",
    "ClusterSettings",
    "DedupSettings",
    "EmbeddingSettings",
    "ExtractSettings",
    "LLMSettings",
    "LabelSettings",
    "QualityLLMSettings",
    "RedactionSettings",
    "SearchSettings",
    "SegmentSettings",
    "SessionSettings",
    "SftSettings",
    "StoreSettings",
    "TierSettings",
]

DASHSCOPE_URL = "https://dashscope.aliyuncs.com/compatible-mode/v1"
OPENAI_URL = "https://api.openai.com/v1"


def setting(default: Any, *variables: str, about: str, secret: bool = False, **bounds: Any) -> Any:
    extra: dict[str, Any] = {"variables": list(variables), "secret": secret}
    return Field(default, description=about, json_schema_extra=extra, **bounds)


class Stage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoreSettings(Stage):
    """Where data lies and who owns it."""

    home: Path = setting(
        Path(".ultron"), "ULTRON_HOME", about="Folder of the database, exports and Dagster's files."
    )
    database_url: str | None = setting(
        None,
        "ULTRON_DATABASE_URL",
        secret=True,
        about="PostgreSQL >= 15 with pgvector >= 0.8; unset starts the embedded server.",
    )
    dagster_database_url: str | None = setting(
        None,
        "ULTRON_DAGSTER_DATABASE_URL",
        secret=True,
        about="Dagster's storage; unset means database `dagster` on the same server.",
    )
    account_id: str = setting(
        "default", "ULTRON_ACCOUNT", min_length=1, max_length=100, about="Account that every row belongs to."
    )
    pool_size: int = setting(
        8, "ULTRON_DATABASE_POOL_SIZE", ge=1, le=100, about="Most database connections of one process."
    )
    statement_timeout_seconds: float = setting(
        120, "ULTRON_DATABASE_STATEMENT_TIMEOUT", ge=0, about="Longest single statement; 0 = no limit."
    )
    exports_dir: Path | None = setting(
        None, "ULTRON_EXPORTS_DIR", about="Folder of SFT datasets; unset means `exports` in the home."
    )
    log_level: str = setting(
        "INFO",
        "ULTRON_LOG_LEVEL",
        pattern="(?i)^(debug|info|warning|error|critical)$",
        about="debug, info, warning, error or critical. Message text appears at no level above debug.",
    )
    log_file: Path | None = setting(None, "ULTRON_LOG_FILE", about="Log to this file as well.")


class SessionSettings(Stage):
    """Reading log files."""

    sessions_dir: Path | None = setting(
        None,
        "ULTRON_SESSIONS_DIR",
        about="Drop folder, `<agent_id>/**/*.jsonl`; unset means `sessions` in the home.",
    )
    quiet_minutes: float = setting(
        30,
        "ULTRON_SESSION_QUIET_MINUTES",
        ge=0,
        about="A log's last task counts as finished after this long without a change.",
    )
    archive_max_bytes: int = setting(
        10_000_000,
        "ULTRON_ARCHIVE_MAX_BYTES",
        ge=0,
        about="Larger files are read and recorded, but their raw bytes are not kept.",
    )


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
    offline: bool = setting(False, "ULTRON_OFFLINE", about="1 uses no remote model even when a key is set.")
    redact_input: bool = setting(
        True, "ULTRON_LLM_REDACT_INPUT", about="Redact what is sent to a model first."
    )
    max_input_tokens: int = setting(
        200_000, "ULTRON_LLM_MAX_INPUT_TOKENS", ge=1024, about="Most tokens of one request."
    )
    prompt_reserve_tokens: int = setting(
        8192, "ULTRON_LLM_PROMPT_RESERVE_TOKENS", ge=0, about="Tokens kept free for the answer."
    )
    token_encoding: str = setting(
        "cl100k_base",
        "ULTRON_LLM_TOKEN_COUNT_ENCODING",
        pattern="^(cl100k_base|o200k_base)$",
        about="tiktoken encoding that budgets are counted in.",
    )
    timeout_seconds: float = setting(
        600, "ULTRON_LLM_REQUEST_TIMEOUT", gt=0, about="Longest wait for one answer."
    )
    max_retries: int = setting(2, "ULTRON_LLM_MAX_RETRIES", ge=0, le=10, about="Tries after the first one.")
    retry_base_delay: float = setting(
        1.0, "ULTRON_LLM_RETRY_BASE_DELAY", ge=0, about="First wait before a retry in seconds; doubles."
    )
    max_concurrency: int = setting(
        4, "ULTRON_LLM_MAX_CONCURRENCY", ge=1, le=64, about="Requests in flight at once."
    )
    requests_per_minute: int = setting(
        0, "ULTRON_LLM_REQUESTS_PER_MINUTE", ge=0, about="Rate limit; 0 = none."
    )
    budget_run_tokens: int = setting(
        0, "ULTRON_LLM_BUDGET_RUN_TOKENS", ge=0, about="Hard limit of tokens a run; 0 = none."
    )
    budget_day_tokens: int = setting(
        0, "ULTRON_LLM_BUDGET_DAY_TOKENS", ge=0, about="Hard limit of tokens a UTC day; 0 = none."
    )
    price_input_per_million: float = setting(
        0.0, "ULTRON_LLM_PRICE_INPUT", ge=0, about="Price of a million input tokens, for cost figures."
    )
    price_output_per_million: float = setting(
        0.0, "ULTRON_LLM_PRICE_OUTPUT", ge=0, about="Price of a million output tokens."
    )

    @property
    def enabled(self) -> bool:
        """Whether a remote model is to be used at all."""
        return bool(self.api_key) and not self.offline

    @property
    def url(self) -> str:
        return self.base_url or (OPENAI_URL if self.provider == "openai" else DASHSCOPE_URL)

    @property
    def model_name(self) -> str:
        return self.model or ("gpt-5-mini" if self.provider == "openai" else "qwen3.6-flash")

    @property
    def window_tokens(self) -> int:
        """Tokens of user text that fit one request (spec: max input less the reserve, at least 256)."""
        return max(self.max_input_tokens - self.prompt_reserve_tokens, 256)


class QualityLLMSettings(Stage):
    """The model that judges quality; what is unset follows the main model."""

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
    batch_size: int = setting(64, "ULTRON_EMBEDDING_BATCH_SIZE", ge=1, le=2048, about="Texts a request.")


class SegmentSettings(Stage):
    """Cutting sessions into tasks."""

    batch_size: int = setting(50, "ULTRON_BATCH_SIZE", ge=1, about="Sessions or segments a batch.")
    max_attempts: int = setting(
        20, "ULTRON_MAX_ATTEMPTS", ge=1, about="After this many failed cycles a row waits for a person."
    )


class LabelSettings(Stage):
    """Quality gates (0-1)."""

    memory_score_threshold: float = setting(
        0.7,
        "ULTRON_TRAJECTORY_MEMORY_SCORE_THRESHOLD",
        ge=0,
        le=1,
        about="Least memory_score of a segment that memories are taken from.",
    )
    sft_score_threshold: float = setting(
        0.8,
        "ULTRON_TRAJECTORY_SFT_SCORE_THRESHOLD",
        ge=0,
        le=1,
        about="Least overall_score of a segment that is exported for training.",
    )


class ExtractSettings(Stage):
    """Turning segments and text into memories."""

    window_tokens: int = setting(
        65_536, "ULTRON_CONVERSATION_EXTRACT_WINDOW_TOKENS", ge=256, about="Tokens a model reads at once."
    )
    l0_max_tokens: int = setting(64, "ULTRON_L0_MAX_TOKENS", ge=8, about="Longest one-line summary.")
    l1_max_tokens: int = setting(256, "ULTRON_L1_MAX_TOKENS", ge=16, about="Longest overview.")
    max_per_segment: int = setting(
        20, "ULTRON_MEMORIES_PER_SEGMENT", ge=1, le=200, about="Most memories of one segment."
    )


class DedupSettings(Stage):
    """Near-duplicates. Unset thresholds are the embedder's calibrated ones; set ones are raw cosines."""

    similarity_threshold: float | None = setting(
        None,
        "ULTRON_DEDUP_SIMILARITY_THRESHOLD",
        ge=0,
        le=1,
        about="Strictly above merges (0.85 on the scale of the spec's model).",
    )
    soft_threshold: float | None = setting(
        None,
        "ULTRON_DEDUP_SOFT_THRESHOLD",
        ge=0,
        le=1,
        about="From here to the threshold a model decides, offline they are linked (0.75).",
    )
    merge_max_field_tokens: int = setting(
        8192, "ULTRON_MEMORY_MERGE_MAX_FIELD_TOKENS", ge=0, about="Longest merged field; 0 = no limit."
    )
    guard: bool = setting(
        True,
        "ULTRON_DEDUP_GUARD",
        about="Texts that differ in a number, name, path or negation never merge. 0 = cosine alone decides.",
    )
    extend_body: bool = setting(
        True,
        "ULTRON_DEDUP_EXTEND_BODY",
        about="A merge adds the facts that the older body lacks. 0 = the older body stays as it is.",
    )


class TierSettings(Stage):
    """HOT, WARM, COLD and the archive."""

    hot_percentile: float = setting(10, "ULTRON_HOT_PERCENTILE", ge=1, le=100, about="Top share that is HOT.")
    warm_percentile: float = setting(
        40, "ULTRON_WARM_PERCENTILE", ge=1, le=100, about="Next share that is WARM."
    )
    cold_ttl_days: float = setting(
        30,
        "ULTRON_COLD_TTL_DAYS",
        ge=0,
        about="COLD memories without a hit this long are archived; 0 = never.",
    )
    decay_interval_hours: float = setting(
        6.0, "ULTRON_DECAY_INTERVAL_HOURS", ge=0.1, about="Hours between rebalances."
    )


class SearchSettings(Stage):
    """Ranking: relevance x tier boost x (1 - weight + weight x exp(-alpha x days))."""

    limit: int = setting(10, "ULTRON_MEMORY_SEARCH_LIMIT", ge=1, le=1000, about="Results by default.")
    decay_alpha: float = setting(0.05, "ULTRON_DECAY_ALPHA", ge=0, about="Decay a day since the last hit.")
    time_decay_weight: float = setting(
        0.1, "ULTRON_TIME_DECAY_WEIGHT", ge=0, le=1, about="Share of the score that decays."
    )
    intent_analysis: bool = setting(
        True, "ULTRON_ENABLE_INTENT_ANALYSIS", about="Let a model (when there is one) widen the query."
    )
    rerank: bool = setting(
        False, "ULTRON_SEARCH_RERANK", about="Let a model (when there is one) order the best memories found."
    )
    rerank_candidates: int = setting(
        20, "ULTRON_SEARCH_RERANK_CANDIDATES", ge=2, le=50, about="How many of them it is sent."
    )


class ClusterSettings(Stage):
    """Knowledge clusters."""

    similarity_threshold: float | None = setting(
        None,
        "ULTRON_CLUSTER_SIMILARITY_THRESHOLD",
        ge=0,
        le=1,
        about="From this cosine on a memory joins a cluster; unset = the embedder's calibrated one (0.75).",
    )
    crystallization_threshold: int = setting(
        5, "ULTRON_CRYSTALLIZATION_THRESHOLD", ge=2, about="Members that make a cluster ready."
    )
    recrystallization_delta: int = setting(
        3, "ULTRON_RECRYSTALLIZATION_DELTA", ge=1, about="New members that make it ready again."
    )


class RedactionSettings(Stage):
    """What redaction removes besides secrets and personal data."""

    words: str = setting(
        "",
        "ULTRON_REDACT_WORDS",
        secret=True,
        about="Own words to redact, separated by commas: company, clients, domains, user names. `ultron redact "
        "--replay` applies a change to stored rows.",
    )

    @property
    def word_list(self) -> tuple[str, ...]:
        """The words one by one; those of a single character would hit everywhere and are left out."""
        return tuple(word.strip() for word in self.words.split(",") if len(word.strip()) > 1)


class SftSettings(Stage):
    """The dataset export."""

    limit: int = setting(5000, "ULTRON_SFT_LIMIT", ge=1, about="Most rows of one export.")
    max_tokens: int = setting(
        32_768, "ULTRON_SFT_MAX_TOKENS", ge=512, about="Longer rows are left out (never trimmed)."
    )
    tool_output_max_tokens: int = setting(
        2048, "ULTRON_SFT_TOOL_OUTPUT_MAX_TOKENS", ge=16, about="Longer tool outputs keep head and tail."
    )
    validation_share: float = setting(
        0.1, "ULTRON_SFT_VALIDATION_SHARE", ge=0, le=0.5, about="Share of groups in the validation split."
    )
    reasoning: str = setting(
        "keep", "ULTRON_SFT_REASONING", pattern="^(keep|drop|inline)$", about="keep, drop or inline."
    )
    interval_hours: float = setting(
        24.0, "ULTRON_SFT_INTERVAL_HOURS", ge=0.1, about="Hours between scheduled exports."
    )
    eval_dir: Path | None = setting(
        None, "ULTRON_SFT_EVAL_DIR", about="Folder of evaluation texts that no row may contain."
    )
