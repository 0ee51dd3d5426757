"""Bar charts of a dataset as SVG, written by hand: equal counts give equal bytes, and any browser shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ultron_core.display import svg_text

__all__ = ["bars", "score_bins", "token_bins"]

#: pixels: a bar with its gap, the column of names, the longest bar, room for the count behind it
_LINE, _NAMES, _WIDTH, _BEHIND = 20, 190, 360, 70


def bars(title: str, counts: Mapping[str, int]) -> str:
    """One bar a name, in the order given."""
    most = max(counts.values(), default=0) or 1
    height = (len(counts) + 2) * _LINE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_NAMES + _WIDTH + _BEHIND}" height="{height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<text x="4" y="{_LINE - 5}" font-weight="bold">{svg_text(title)}</text>',
    ]
    for line, (name, count) in enumerate(counts.items(), 1):
        top, width = line * _LINE + 4, round(count / most * _WIDTH)
        parts += [
            f'<text x="{_NAMES - 6}" y="{top + 12}" text-anchor="end">{svg_text(name)}</text>',
            f'<rect x="{_NAMES}" y="{top}" width="{width}" height="{_LINE - 5}" fill="#4878a8"/>',
            f'<text x="{_NAMES + width + 4}" y="{top + 12}">{count}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])


def token_bins(values: Sequence[int]) -> dict[str, int]:
    """Rows by number of tokens, each bin twice as wide as the one before."""
    if not values:
        return {}
    last = max(values).bit_length()
    counts = {
        f"{2 ** (n - 1):,} to {2**n - 1:,}": 0 for n in range(max(1, min(values).bit_length()), last + 1)
    }
    names = dict(zip(range(last - len(counts) + 1, last + 1), counts, strict=True))
    for value in values:
        counts[names[max(1, value.bit_length())]] += 1
    return counts


def score_bins(values: Sequence[float]) -> dict[str, int]:
    """Rows by score, in steps of .05."""
    steps = sorted({min(19, int(value * 20)) for value in values})
    if not steps:
        return {}
    counts = dict.fromkeys(range(steps[0], steps[-1] + 1), 0)
    for value in values:
        counts[min(19, int(value * 20))] += 1
    return {f"{step / 20:.2f} to {(step + 1) / 20:.2f}": count for step, count in counts.items()}
