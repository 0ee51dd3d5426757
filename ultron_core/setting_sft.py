"""The settings of the exported datasets, and of training on them."""

from __future__ import annotations

import os
from pathlib import Path

from ultron_core.setting_stages import Stage, setting

__all__ = ["SftSettings", "TrainSettings"]


class SftSettings(Stage):
    """The dataset export."""

    limit: int = setting(5000, "ULTRON_SFT_LIMIT", ge=1, about="Maximum rows of one export.")
    max_tokens: int = setting(
        32_768,
        "ULTRON_SFT_MAX_TOKENS",
        ge=512,
        about="Rows above this many tokens are left out (never trimmed).",
    )
    tool_output_max_tokens: int = setting(
        2048,
        "ULTRON_SFT_TOOL_OUTPUT_MAX_TOKENS",
        ge=16,
        about="Longer tool outputs keep only head and tail.",
    )
    tokenizer: str = setting(
        "cl100k_base",
        "ULTRON_SFT_TOKENIZER",
        about="What counts tokens: cl100k_base, o200k_base, or a tokenizer.json of the byte-level BPE kind, or its"
        " folder, whose chat template is then used.",
    )
    validation_share: float = setting(
        0.1, "ULTRON_SFT_VALIDATION_SHARE", ge=0, le=0.5, about="Share of groups in the validation split."
    )
    reasoning: str = setting(
        "drop",
        "ULTRON_SFT_REASONING",
        pattern="^(keep|drop|inline)$",
        about="The model's reasoning: drop, keep or inline; with the last two only rows that have some are exported.",
    )
    evidence: str = setting(
        "likely",
        "ULTRON_SFT_EVIDENCE",
        pattern="^(verified|likely|any)$",
        about="How much must be known of a run's end: verified, likely (and verified), or any.",
    )
    likely_from: float = setting(
        0.6,
        "ULTRON_SFT_LIKELY_FROM",
        ge=0,
        le=1,
        about="Lowest expected_success of a run that is likely without a verdict; 0.5 is neither for nor against.",
    )
    near_duplicate_jaccard: float = setting(
        0.7,
        "ULTRON_SFT_NEAR_DUPLICATE_JACCARD",
        ge=0.3,
        le=1,
        about="Rows whose word 5-grams have at least this Jaccard similarity to a better row are left out.",
    )
    parallel_calls: str = setting(
        "keep",
        "ULTRON_SFT_PARALLEL_CALLS",
        pattern="^(keep|drop)$",
        about="Rows with several calls in one turn, which Llama 3.1 templates refuse: keep or drop.",
    )
    bad_turns: str = setting(
        "mask",
        "ULTRON_SFT_BAD_TURNS",
        pattern="^(mask|drop)$",
        about="Turns whose call was interrupted: mask them from loss, or drop the row (TRL knows no mask).",
    )
    most_per_session: int = setting(
        0, "ULTRON_SFT_MAX_PER_SESSION", ge=0, about="Maximum rows of one session; 0 = no limit."
    )
    most_per_task: int = setting(
        0, "ULTRON_SFT_MAX_PER_TASK", ge=0, about="Maximum runs of one task; 0 = no limit."
    )
    most_per_task_type: int = setting(
        0, "ULTRON_SFT_MAX_PER_TASK_TYPE", ge=0, about="Maximum rows of one task type; 0 = no limit."
    )
    most_per_meaning: int = setting(
        0,
        "ULTRON_SFT_MAX_PER_MEANING",
        ge=0,
        about="Maximum rows whose first requests mean the same; 0 = no limit.",
    )
    same_meaning_cosine: float = setting(
        0.95,
        "ULTRON_SFT_SAME_MEANING_COSINE",
        ge=0.5,
        le=1,
        about="First requests whose vectors have at least this cosine mean the same.",
    )
    leave_out_projects: str = setting(
        "",
        "ULTRON_SFT_LEAVE_OUT_PROJECTS",
        about="Projects that no dataset takes rows of, separated by commas.",
    )
    leave_out_agents: str = setting(
        "", "ULTRON_SFT_LEAVE_OUT_AGENTS", about="Agents that no dataset takes rows of, separated by commas."
    )
    pairs_per_task: int = setting(
        4, "ULTRON_SFT_PAIRS_PER_TASK", ge=1, about="Maximum pairs of one task in a preference dataset."
    )
    flavours: str = setting(
        "llamafactory,openai,swift,twinkle",
        "ULTRON_SFT_FLAVOURS",
        about="Further shapes of the same rows, separated by commas; empty means Parquet alone.",
    )
    salt: str = setting(
        "",
        "ULTRON_SFT_SALT",
        secret=True,
        about="Mixed into the hashes of sessions and projects, so that nobody can tell by guessing which they are.",
    )
    workers: int = setting(
        0, "ULTRON_SFT_WORKERS", ge=0, le=64, about="Processes that redact rows; 0 = one a core, at most 4."
    )
    interval_hours: float = setting(
        24.0, "ULTRON_SFT_INTERVAL_HOURS", ge=0.1, about="Hours between scheduled exports."
    )
    eval_dir: Path | None = setting(
        None, "ULTRON_SFT_EVAL_DIR", about="Folder of evaluation texts that no row may contain."
    )
    eval_fields: str = setting(
        "question,prompt,problem,problem_statement,instruction,input,query,text,messages",
        "ULTRON_SFT_EVAL_FIELDS",
        about="Fields of evaluation .jsonl files that hold their texts, separated by commas.",
    )

    @property
    def processes(self) -> int:
        """Worker processes of one export."""
        return self.workers or min(4, os.cpu_count() or 1)


class TrainSettings(Stage):
    """Training on the newest dataset."""

    base: Path | None = setting(
        None,
        "ULTRON_TRAIN_BASE",
        about="The model to train on: a folder of transformers or a .gguf file; unset means that nothing is trained by"
        " itself.",
    )
    rows: int = setting(
        100,
        "ULTRON_TRAIN_ROWS",
        ge=1,
        about="So many rows that were never trained on start a training by themselves.",
    )
    adapters_dir: Path | None = setting(
        None, "ULTRON_TRAIN_DIR", about="Folder of adapters; unset means `adapters` in the home."
    )
    steps: int = setting(
        0, "ULTRON_TRAIN_STEPS", ge=0, about="Steps of one training; 0 = one pass over the rows."
    )
    learning_rate: float = setting(
        2e-4, "ULTRON_TRAIN_LEARNING_RATE", gt=0, le=1, about="Highest learning rate of a training."
    )
    rank: int = setting(16, "ULTRON_TRAIN_RANK", ge=1, le=1024, about="Rank of a new adapter.")
    max_length: int = setting(
        4096,
        "ULTRON_TRAIN_MAX_LENGTH",
        ge=16,
        about="Rows above this many tokens of the base are not trained (never cut).",
    )
    batch: int = setting(8, "ULTRON_TRAIN_BATCH", ge=1, about="Rows of one step.")
    seed: int = setting(
        0, "ULTRON_TRAIN_SEED", ge=0, about="First of the three seeds that a training is made with."
    )
    interval_hours: float = setting(
        24.0, "ULTRON_TRAIN_INTERVAL_HOURS", ge=0.1, about="Hours between looks for rows to train on."
    )
