"""Charts for asset metadata: PNG inside Markdown, because Dagster has no plot type."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ultron_core.display import cell, plot_text

__all__ = ["histogram", "markdown_image", "memory_map"]

_SIZE = (6.0, 3.2)
_DPI = 110


def markdown_image(png: bytes, alt: str) -> str:
    """A PNG as a Markdown image that needs no file."""
    return f"![{cell(alt)}](data:image/png;base64,{base64.b64encode(png).decode('ascii')})"


def histogram(series: Mapping[str, Sequence[float]], thresholds: Mapping[str, float], title: str) -> bytes:
    """PNG of scores from 0 to 1, one histogram per series, thresholds as dashed lines."""
    figure, axes = _figure()
    bins = np.linspace(0.0, 1.0, 21)
    for number, (name, values) in enumerate(series.items()):
        color = f"C{number}"
        axes.hist(
            list(values), bins=bins, histtype="stepfilled", alpha=0.35, color=color, label=plot_text(name)
        )
        if name in thresholds:
            axes.axvline(thresholds[name], color=color, linestyle="--", linewidth=1)
    axes.set_xlabel("score (dashed: the gate)")
    axes.set_ylabel("segments")
    axes.set_title(plot_text(title), fontsize=10)
    axes.legend(fontsize=8)
    return _png(figure)


def memory_map(vectors: npt.NDArray[np.float32], labels: Sequence[int], total: int) -> bytes:
    """PNG of memories (a sample of `total`) on their first two principal components, coloured by cluster."""
    from sklearn.decomposition import PCA

    figure, axes = _figure()
    if len(vectors) >= 3:
        points = PCA(n_components=2, svd_solver="full").fit_transform(np.asarray(vectors, dtype=np.float64))
        colors = np.asarray(labels) % 20
        axes.scatter(points[:, 0], points[:, 1], c=colors, cmap="tab20", s=14, linewidths=0)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(f"{total} memories, coloured by cluster", fontsize=10)
    return _png(figure)


def _figure() -> tuple[Any, Any]:
    from matplotlib.figure import Figure  # not pyplot: no global state, no display

    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    return figure, figure.subplots()


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
