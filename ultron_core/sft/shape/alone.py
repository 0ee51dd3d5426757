"""Can a row stand by itself, and is there something to learn from it?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ultron_core.sft.shape.refused import Refused
from ultron_core.transcript.language import CJK_CLASS

__all__ = ["check_alone"]

#: letters of one word, or one Chinese character, e.g. `don't`, `端`; numbers alone name nothing
_WORD = re.compile(rf"[{CJK_CLASS}]|[^\W\d_{CJK_CLASS}][\w'’-]*")
#: words that only go on with what was there before: "ok, do that", "yes please", "continue", "好的 继续"
_LEANING = frozenset((
    "a", "again", "ahead", "all", "alright", "also", "and", "another", "continue", "do", "fine", "go", "going",
    "good", "great", "it", "keep", "more", "next", "no", "now", "of", "ok", "okay", "on", "one", "other",
    "please", "proceed", "right", "same", "so", "sure", "thanks", "that", "the", "them", "then", "these",
    "this", "those", "too", "try", "works", "yeah", "yep", "yes", "you", "一", "下", "个", "以", "再", "可",
    "吧", "嗯", "好", "对", "就", "是", "来", "的", "继", "续", "行", "谢", "这", "那",
))  # fmt: skip
#: a request of fewer words than these, behind other tasks, tells nothing of what is asked: "MIP 1 and 4", "adress 68"
_FEWEST_WORDS = 3
#: answers such as "Ok", "Step 1", "Done." carry nothing over
_FEWEST_ANSWERED = 3


def check_alone(rows: Sequence[Mapping[str, Any]], *, continues: bool) -> None:
    """Raises Refused with `fragment` or `nothing_to_learn`. `continues`: other tasks came before in the session."""
    asked = next(row["content"] for row in rows if row["role"] == "user")
    own = [word for word in _words(asked) if word not in _LEANING]
    if continues and len(own) < _FEWEST_WORDS:
        raise Refused("fragment", asked[:80])
    said = [row for row in rows if row["role"] == "assistant"]
    if any("tool_calls" in row for row in said):
        return
    if len(_words(" ".join(row["content"] for row in said))) < _FEWEST_ANSWERED and not _has_value(said):
        raise Refused("nothing_to_learn", said[-1]["content"][:80])


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _has_value(said: Sequence[Mapping[str, Any]]) -> bool:
    """A short answer that is an answer all the same: "42", "0.5 mol", "a=3"; not "Step 1"."""
    text = " ".join(row["content"] for row in said).strip()
    return bool(re.match(r"[\W_]*\d", text)) or "=" in text
