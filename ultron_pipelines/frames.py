"""What a dataset holds, counted from its Parquet files as they were written: tables for the asset's page."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import polars as pl

from ultron_pipelines.assets.events import shown_table

__all__ = ["frame_table", "refused", "shipped"]

#: what the three kinds of datasets are counted by; pairs have no evidence of their own
_GROUP = ("task_type", "evidence", "source_harness")


def shipped(folder: Path) -> pl.DataFrame:
    """Rows of a dataset by task type, evidence and harness: how many, and where rows count tokens how long (median and
    90th percentile) and which share of the tokens is trained."""
    rows = pl.scan_parquet(sorted(folder.glob("data/*.parquet")))
    columns = rows.collect_schema().names()
    group = [name for name in _GROUP if name in columns]
    counted = rows.group_by(group).agg(pl.len().alias("rows"), *_lengths(columns))
    return counted.sort("rows", *group, descending=[True, *(False for _ in group)]).collect()


def _lengths(columns: list[str]) -> list[pl.Expr]:
    tokens, trained = pl.col("num_tokens"), pl.col("num_trained_tokens")
    lengths = [
        tokens.median().cast(pl.Int64).alias("median tokens"),
        tokens.quantile(0.9, "nearest").cast(pl.Int64).alias("p90 tokens"),
    ]
    share = [(trained.sum() / tokens.sum()).round(2).alias("trained share")]
    return [
        *(lengths if "num_tokens" in columns else []),
        *(share if "num_trained_tokens" in columns else []),
    ]


def refused(folder: Path) -> pl.DataFrame:
    """What was left out by reason and task type, with the median score: is it the gate, or the shape of good runs?"""
    rows = pl.scan_parquet(folder / "rejects.parquet")
    counted = rows.group_by("reason", "task_type").agg(
        pl.len().alias("rows"), pl.col("quality_score").median().round(2).alias("median score")
    )
    return counted.sort("rows", "reason", "task_type", descending=[True, False, False]).collect()


def frame_table(frame: pl.DataFrame, most: int = 25) -> dg.MarkdownMetadataValue:
    """The first rows as a table of the asset's page; nulls as a dash."""
    names = [name.replace("_", " ") for name in frame.columns]
    return shown_table(
        names, (["-" if v is None else v for v in row] for row in frame.head(most).iter_rows())
    )
