"""What the same task is: the same project and, but for courtesy and filler words, the same first request.

A word that tells two requests apart makes them two tasks ("look at the bowl", "look at the mug"), however long the
rest is: so the content words must be equal and in one order; a share of common text is not enough.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ultron_core.transcript.language import CJK_CLASS

__all__ = ["first_request", "join_groups", "task_key"]

Keys = npt.NDArray[np.bytes_]
#: a word, a part of an identifier, or one Chinese character, e.g. `user`, `端`
_WORD = re.compile(rf"[{CJK_CLASS}]|[^\W_{CJK_CLASS}]+")
#: words that two wordings of one request differ in: "Hi! I'd like to book", "Hello, I need to book ... please"
_FILLER = frozenset((
    "a", "about", "afternoon", "again", "ahead", "am", "an", "and", "answer", "any", "are", "as", "at", "be",
    "been", "but", "by", "can", "could", "d", "did", "do", "does", "done", "evening", "following", "for",
    "from", "get", "go", "going", "good", "had", "has", "have", "hello", "help", "here", "hey", "hi", "how",
    "i", "if", "in", "into", "is", "it", "its", "just", "kind", "let", "like", "ll", "looking", "m", "may",
    "me", "might", "morning", "much", "must", "my", "need", "no", "now", "of", "off", "oh", "ok", "okay", "on",
    "or", "our", "out", "please", "possible", "question", "re", "right", "s", "so", "some", "sorry", "sure",
    "t", "task", "thank", "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "today", "too", "try", "up", "us", "ve", "very", "want", "wanted", "was", "we", "well",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "yes", "you",
    "your", "一", "下", "个", "了", "以", "你", "可", "吗", "吧", "呢", "和", "在", "好", "帮", "您",
    "想", "我", "是", "有", "的", "能", "要", "请", "谢",
))  # fmt: skip


def first_request(messages: Sequence[Mapping[str, Any]]) -> str:
    """What the person asked first."""
    return next((str(message["content"]) for message in messages if message["role"] == "user"), "")


def task_key(project: str, request: str, task_id: str = "") -> str:
    """Rows with one key are runs of one task; a task id from imported outcomes decides alone."""
    if task_id:
        return _digest(f"task {task_id}")
    words = [_stem(word) for word in _WORD.findall(request.lower())]
    told = [word for word in words if word not in _FILLER] or words
    return _digest(f"request {project}\n{' '.join(told)}")


def _stem(word: str) -> str:
    """Without the s of a plural: "change my flights", "change my flight"."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def join_groups(sessions: Keys, tasks: Keys) -> Keys:
    """For each row the group it is split with, by the keys of its session and its task.

    Rows of one session and rows of one task are in one group; its name is the smallest task key in it.
    """
    names, numbers = np.unique(tasks, return_inverse=True)
    of_task: list[int] = numbers.reshape(-1).tolist()
    sessions, numbers = np.unique(sessions, return_inverse=True)
    of_session: list[int] = numbers.reshape(-1).tolist()
    # of each task one with a smaller key in its group, or itself; of each session one of its tasks
    smaller, known = array("q", range(len(names))), array("q", [-1]) * len(sessions)

    def root(task: int) -> int:
        while smaller[task] != task:
            smaller[task] = task = smaller[smaller[task]]
        return task

    for session, task in zip(of_session, of_task, strict=True):
        one = root(task)
        other = root(known[session]) if known[session] >= 0 else one
        known[session] = smaller[max(one, other)] = min(one, other)
    return names[np.array([root(task) for task in of_task], np.int64)]
