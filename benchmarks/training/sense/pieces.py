"""Which pieces of the base's 250,000 the network keeps: those that labelled texts hold, and single characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ultron_core.transcript.sense.pieces import UNKNOWN, Pieces

from .base import Base
from .rows import Row

__all__ = ["kept_pieces"]

#: a piece of fewer texts is left to its characters
_TEXTS = 2
#: Latin with its accents, punctuation and arrows, kana, Chinese, full-width forms
_CHARACTERS = ((0, 0x250), (0x2000, 0x2800), (0x3000, 0x30FF), (0x4E00, 0xA000), (0xFF00, 0xFFEE))
_LONG = 10_000


def kept_pieces(base: Base, rows: Iterable[Row]) -> list[int]:
    """Their numbers in the base, in its order; the marks come first."""
    whole = Pieces(base.pieces, base.scores.tolist())
    texts: Counter[int] = Counter()
    for text in dict.fromkeys(text for row in rows for text in row.passage):
        texts.update(set(whole.ids(text, _LONG)))
    kept = {number for number, count in texts.items() if count >= _TEXTS} | set(range(UNKNOWN + 1))
    kept |= {number for number, piece in enumerate(base.pieces) if _is_character(piece)}
    return sorted(kept)


def _is_character(piece: str) -> bool:
    bare = piece.replace("\u2581", "")
    return len(bare) == 0 or (len(bare) == 1 and any(low <= ord(bare) < high for low, high in _CHARACTERS))
