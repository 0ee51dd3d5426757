"""Turns as vectors: what was said, the reply, what stood before, and how like a first request the words are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ultron_core.embeddings.protocol import Vectors
from ultron_core.segments.offline.turns import Turn

__all__ = ["Embed", "TurnVectors", "Vector", "embed_turns", "unit"]

Vector = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]

#: neutral first requests and neutral follow-ups, in both languages: no subject of any data set
_REQUESTS = (
    "I need help with something new.", "Please write a program that does this.",
    "I would like to arrange something for tomorrow.", "Can you find some information for me?",
    "How do I fix this error in my project?", "Explain how this works.", "Add a new feature to the app.",
    "Create a plan for a project.", "Who was the first person to do this?",
    "Calculate the total of these numbers.", "我想找一些资料，请推荐一下。", "帮我写一段代码。",
    "请解释一下这个概念。", "帮我计算一下总价。", "我需要安排一件事情。", "请帮我制定一个计划。",
)  # fmt: skip
_FOLLOW_UPS = (
    "Yes, that is right.", "No, not that one.", "What about the second one?", "Thanks, that works.",
    "The name is John and the number is 12345.", "Okay, go ahead with that.", "Why is it like that?",
    "Can you make it shorter?", "It still does not work.", "I prefer the other option.",
    "And what is the size of it?", "Does it have that too?", "可以，就这样吧。", "好的，谢谢你。",
    "它在哪里？", "那一共是多少？", "还是不行。", "再改一下刚才的内容。",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TurnVectors:
    """Unit vectors of what was said, of the reply, of both together, and of what the model said before.

    like_request, like_follow_up: mean cosine to the three nearest neutral sentences of each kind.
    """

    user: Vector
    reply: Vector
    both: Vector
    said: Vector
    like_request: float
    like_follow_up: float


def embed_turns(turns: Sequence[Turn], embed: Embed) -> list[TurnVectors]:
    """Vectors of every turn; each different text is embedded once."""
    if not turns:
        return []
    texts = [text for t in turns for text in (t.text, t.reply, t.last_text)]
    unique = list(dict.fromkeys([*_REQUESTS, *_FOLLOW_UPS, *texts]))
    table = dict(zip(unique, embed(unique), strict=True))
    requests = np.stack([table[text] for text in _REQUESTS])
    follow_ups = np.stack([table[text] for text in _FOLLOW_UPS])
    return [_of(t, table, requests, follow_ups) for t in turns]


def _of(turn: Turn, table: dict[str, Vector], requests: Vectors, follow_ups: Vectors) -> TurnVectors:
    user = table[turn.text]
    return TurnVectors(
        user=user,
        reply=table[turn.reply] if turn.reply else user,
        both=unit(user + table[turn.reply]) if turn.reply else user,
        said=table[turn.last_text],
        like_request=_nearest(requests, user),
        like_follow_up=_nearest(follow_ups, user),
    )


def _nearest(sentences: Vectors, user: Vector) -> float:
    return float(np.sort(sentences @ user)[-3:].mean())


def unit(vector: Vector) -> Vector:
    """The vector at length 1; one without length stays."""
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length > 1e-12 else vector
