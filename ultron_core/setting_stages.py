"""The settings of each stage: one frozen record each, every field with its variables and one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "ClusterSettings",
    "DedupSettings",
    "ExtractSettings",
    "LabelSettings",
    "RedactionSettings",
    "SearchSettings",
    "SegmentSettings",
    "ServeSettings",
    "SessionSettings",
    "Stage",
    "StoreSettings",
    "TierSettings",
    "setting",
]


def setting(default: Any, *variables: str, about: str, secret: bool = False, **bounds: Any) -> Any:
    extra: dict[str, Any] = {"variables": list(variables), "secret": secret}
    return Field(default, description=about, json_schema_extra=extra, **bounds)


class Stage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StoreSettings(Stage):
    """Where data is kept and who owns it."""

    home: Path = setting(
        Path(".ultron"),
        "ULTRON_HOME",
        about="Folder of the database, exports and Dagster's files; unset means `ultron` in the user's data folder,"
        " for `make demo` and `make dev` the clone's `.ultron`.",
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
    agent_id: str | None = setting(
        None,
        "ULTRON_AGENT_ID",
        min_length=1,
        max_length=200,
        about="Agent whose logs `search_sessions` searches when the caller names none.",
    )
    pool_size: int = setting(
        8,
        "ULTRON_DATABASE_POOL_SIZE",
        ge=1,
        le=100,
        about="Maximum number of database connections per process.",
    )
    statement_timeout_seconds: float = setting(
        120,
        "ULTRON_DATABASE_STATEMENT_TIMEOUT",
        ge=0,
        about="Time limit of a single statement in seconds; 0 = none.",
    )
    exports_dir: Path | None = setting(
        None, "ULTRON_EXPORTS_DIR", about="Folder of SFT datasets; unset means `exports` in the home."
    )
    exports_url: str | None = setting(
        None,
        "ULTRON_EXPORTS_URL",
        pattern="^[a-z0-9]+://",
        about="Where each dataset is copied to: `s3://bucket/folder` (extra `s3`), or what else fsspec reaches.",
    )
    working_folder: Path | None = setting(
        None,
        "ULTRON_WORKING_FOLDER",
        about="Folder whose project comes first in searches and lists; unset means the one a command runs in.",
    )
    autoserve: bool | None = setting(
        None,
        "ULTRON_AUTOSERVE",
        about="Start a resident process that answers `search`, `show`, `sessions` and `stats`; unset means 1 for an"
        " installed command, 0 in a clone.",
    )
    log_level: str = setting(
        "INFO",
        "ULTRON_LOG_LEVEL",
        pattern="(?i)^(debug|info|warning|error|critical)$",
        about="debug, info, warning, error or critical. Message text is logged at debug level only.",
    )
    log_file: Path | None = setting(None, "ULTRON_LOG_FILE", about="Log to this file as well.")


class SessionSettings(Stage):
    """Reading log files."""

    sessions_dir: Path | None = setting(
        None,
        "ULTRON_SESSIONS_DIR",
        about="Drop folder, `<agent_id>/**/*.jsonl`; unset means `sessions` in the home.",
    )
    sessions_url: str | None = setting(
        None,
        "ULTRON_SESSIONS_URL",
        pattern="^[a-z0-9]+://",
        about="A bucket as drop folder instead: `s3://bucket/folder` (extra `s3`), or what else fsspec reaches.",
    )
    quiet_minutes: float = setting(
        30,
        "ULTRON_SESSION_QUIET_MINUTES",
        ge=0,
        about="A log's last task counts as finished after this long without a change.",
    )
    ingest_max_bytes: int = setting(
        2_000_000_000,
        "ULTRON_INGEST_MAX_BYTES",
        ge=0,
        about="A file above this size, also when it is unpacked from gz, is marked failed; 0 means no limit.",
    )
    run_files: int | None = setting(
        None,
        "ULTRON_RUN_FILES",
        ge=1,
        le=10_000,
        about="Maximum number of files in one Dagster run; unset means 500, or 50 when a model is set.",
    )
    auto_reprocess: bool = setting(
        False,
        "ULTRON_AUTO_REPROCESS",
        about="With a model, do again what an older version made, by itself and within the daily budget; offline it is"
        " always done.",
    )
    archive_max_bytes: int = setting(
        10_000_000,
        "ULTRON_ARCHIVE_MAX_BYTES",
        ge=0,
        about="Files and texts above this size are read and recorded, but their raw bytes are not kept.",
    )


class ServeSettings(Stage):
    """Access from outside: HTTP, MCP, pages."""

    ingest_roots: str | None = setting(
        None,
        "ULTRON_INGEST_ROOTS",
        about="Folders that `/ingest` may read for a key with the scope sessions, separated by colons; unset means the "
        "drop folder and the log folders of known agents.",
    )
    requests_per_minute: float = setting(
        6000,
        "ULTRON_ACCESS_RATE",
        ge=0,
        about="Requests that one access key may make in a minute; 0 means no limit.",
    )


class SegmentSettings(Stage):
    """Splitting sessions into tasks."""

    batch_size: int = setting(50, "ULTRON_BATCH_SIZE", ge=1, about="Sessions or segments per batch.")
    max_attempts: int = setting(
        20, "ULTRON_MAX_ATTEMPTS", ge=1, about="After this many failed attempts a row waits for a person."
    )


class LabelSettings(Stage):
    """Quality gates (0-1)."""

    memory_score_threshold: float = setting(
        0.7,
        "ULTRON_TRAJECTORY_MEMORY_SCORE_THRESHOLD",
        ge=0,
        le=1,
        about="Lowest memory_score at which memories are extracted from a segment.",
    )
    sft_score_threshold: float = setting(
        0.8,
        "ULTRON_TRAJECTORY_SFT_SCORE_THRESHOLD",
        ge=0,
        le=1,
        about="Lowest overall_score at which a segment is exported for training.",
    )


class ExtractSettings(Stage):
    """Turning segments and text into memories."""

    window_tokens: int = setting(
        65_536, "ULTRON_CONVERSATION_EXTRACT_WINDOW_TOKENS", ge=256, about="Tokens sent to the model at once."
    )
    l0_max_tokens: int = setting(
        64, "ULTRON_L0_MAX_TOKENS", ge=8, about="Maximum tokens of the one-line summary."
    )
    l1_max_tokens: int = setting(256, "ULTRON_L1_MAX_TOKENS", ge=16, about="Maximum tokens of the overview.")
    max_per_segment: int = setting(
        20, "ULTRON_MEMORIES_PER_SEGMENT", ge=1, le=200, about="Maximum memories per segment."
    )


class DedupSettings(Stage):
    """Near-duplicates. Unset thresholds are the embedder's calibrated ones; set ones are raw cosines."""

    similarity_threshold: float | None = setting(
        None,
        "ULTRON_DEDUP_SIMILARITY_THRESHOLD",
        ge=0,
        le=1,
        about="Memories with a cosine strictly above this merge; unset = the embedder's own (local 0.90, remote"
        " 0.85).",
    )
    soft_threshold: float | None = setting(
        None,
        "ULTRON_DEDUP_SOFT_THRESHOLD",
        ge=0,
        le=1,
        about="From here up to that a model decides, offline they are linked; unset = the embedder's own (local 0.74,"
        " remote 0.75).",
    )
    merge_max_field_tokens: int = setting(
        8192,
        "ULTRON_MEMORY_MERGE_MAX_FIELD_TOKENS",
        ge=0,
        about="Maximum tokens of a merged field; 0 = no limit.",
    )
    guard: bool = setting(
        True,
        "ULTRON_DEDUP_GUARD",
        about="Texts that differ in a number, name, path or negation never merge. 0 = cosine alone decides.",
    )
    extend_body: bool = setting(
        True,
        "ULTRON_DEDUP_EXTEND_BODY",
        about="A merge adds the facts that the older body lacks. 0 = the older body stays unchanged.",
    )


class TierSettings(Stage):
    """HOT, WARM, COLD and the archive."""

    hot_percentile: float = setting(
        10, "ULTRON_HOT_PERCENTILE", ge=1, le=100, about="Top percentage that is HOT."
    )
    warm_percentile: float = setting(
        40, "ULTRON_WARM_PERCENTILE", ge=1, le=100, about="Next percentage that is WARM."
    )
    cold_ttl_days: float = setting(
        30,
        "ULTRON_COLD_TTL_DAYS",
        ge=0,
        about="COLD memories without a hit for this long are archived; 0 = never.",
    )
    claimed_days: float = setting(
        90,
        "ULTRON_CLAIMED_DAYS",
        ge=0,
        about="Claimed memories that no session said again for this long are archived; 0 = never.",
    )
    decay_interval_hours: float = setting(
        6.0, "ULTRON_DECAY_INTERVAL_HOURS", ge=0.1, about="Hours between rebalances."
    )


class SearchSettings(Stage):
    """Ranking: relevance x tier boost x (1 - weight + weight x exp(-alpha x days))."""

    limit: int = setting(
        10, "ULTRON_MEMORY_SEARCH_LIMIT", ge=1, le=1000, about="Default number of results of `ultron search`."
    )
    hits: int = setting(
        0,
        "ULTRON_SEARCH_HITS",
        ge=0,
        le=10,
        about="Hits that being listed by a search counts, for results that are not weak; opening one counts two.",
    )
    decay_alpha: float = setting(
        0.05, "ULTRON_DECAY_ALPHA", ge=0, about="Decay rate per day since the last hit."
    )
    time_decay_weight: float = setting(
        0.1, "ULTRON_TIME_DECAY_WEIGHT", ge=0, le=1, about="Share of the score that decays."
    )
    intent_analysis: bool = setting(
        True,
        "ULTRON_ENABLE_INTENT_ANALYSIS",
        about="Let the model, when one is configured, expand the query.",
    )
    rerank: bool = setting(
        False,
        "ULTRON_SEARCH_RERANK",
        about="Let the model, when one is configured, reorder the best memories found.",
    )
    rerank_candidates: int = setting(
        20, "ULTRON_SEARCH_RERANK_CANDIDATES", ge=2, le=50, about="How many memories it reorders."
    )


class ClusterSettings(Stage):
    """Knowledge clusters."""

    similarity_threshold: float | None = setting(
        None,
        "ULTRON_CLUSTER_SIMILARITY_THRESHOLD",
        ge=0,
        le=1,
        about="A memory joins a cluster from this cosine up; unset = the embedder's own (local 0.70,"
        " remote 0.75).",
    )
    crystallization_threshold: int = setting(
        5,
        "ULTRON_CRYSTALLIZATION_THRESHOLD",
        ge=2,
        about="Members at which a cluster is ready to become a skill.",
    )
    recrystallization_delta: int = setting(
        3, "ULTRON_RECRYSTALLIZATION_DELTA", ge=1, about="New members at which it is ready again."
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
