"""A short name for a cluster: from the words its memories share (class TF-IDF), or by a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel, Field

from ultron_core.llm.prompts import read_prompt
from ultron_core.llm.protocol import LLM
from ultron_core.records.asking import ask_shortened

__all__ = ["Topic", "ask_topic", "name_topics"]

#: summaries shown to the model, and characters of each
_SHOWN, _NOTE_CHARS = 20, 200

#: a word that can name a topic, e.g. `node.js`, `pg_dump`, `数据库`
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]{2,}|[一-鿿]{2,}")
#: words of a topic that is made without a model
_WORDS_A_TOPIC = 4
_SMALL_WORDS = """
the and for with this that from was were has have had not but are you your can cannot will when then after
into out use used using does did been being before its their they them than which who what how why where
there here any all only also more most other another again over about between should would could may must
error errors failed fails failure because instead worked once changed change
person told agent
"""
_COMMON = frozenset(_SMALL_WORDS.split())


def name_topics(groups: Sequence[Sequence[str]]) -> list[str]:
    """One topic per group: the words that are frequent in it and rare in the others, best first; ties go
    to the word nearer to the beginning of a text.

    Weight of a word in a group: share of the group's texts that contain it x ln(1 + groups / groups with it).
    """
    counted = [Counter(word for text in texts for word in set(_words(text))) for texts in groups]
    spread = Counter(word for counts in counted for word in counts)
    return [_name(counts, texts, spread, len(groups)) for counts, texts in zip(counted, groups, strict=True)]


class Topic(BaseModel):
    """The name of a cluster."""

    topic: str = Field(min_length=1, max_length=60)


def ask_topic(summaries: Sequence[str], llm: LLM) -> str:
    """A model's name for a cluster (stage `cluster`); ModelError passes through."""
    prompt = read_prompt("ultron_core.clusters", "topic")
    notes = "\n".join(f"- {summary[:_NOTE_CHARS]}" for summary in summaries[:_SHOWN])

    def chat(text: str) -> list[dict[str, str]]:
        return [{"role": "system", "content": prompt}, {"role": "user", "content": text}]

    answer = ask_shortened(llm, chat, notes, Topic, stage="cluster")
    return " ".join(answer.topic.split())


def _words(text: str) -> list[str]:
    return [w.rstrip(".-") for w in _WORD.findall(text) if w.lower() not in _COMMON]


def _name(counts: Counter[str], texts: Sequence[str], spread: Counter[str], groups: int) -> str:
    weight = {w: n / len(texts) * math.log(1 + groups / spread[w]) for w, n in counts.items()}
    place: dict[str, int] = {}
    for words in map(_words, texts):
        for n, word in enumerate(words):
            place[word] = min(place.get(word, n), n)
    ordered = sorted(weight, key=lambda w: (-weight[w], place[w], w))
    return " ".join(ordered[:_WORDS_A_TOPIC])
