"""What the same task is: the same project and, but for courtesy and filler words, the same first request.

A word that tells two requests apart makes them two tasks ("look at the bowl", "look at the mug"), however long the
rest is: so the content words must be equal and in one order; a share of common text is not enough.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ultron_core.transcript.language import CJK_CLASS

__all__ = ["first_request", "join_groups", "task_key"]

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


def join_groups(members: Sequence[tuple[str, str]]) -> list[str]:
    """For each row the group it is split with; `members` are (session key, task key).

    Rows of one session and rows of one task are in one group; its name is the smallest task key in it.
    """
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for session, task in members:
        # a session's key must not win: it is a root only until its first task joins it
        one, other = root(f"task {task}"), root(f"~session {session}")
        parent[max(one, other)] = min(one, other)
    return [root(f"task {task}").removeprefix("task ") for _, task in members]
