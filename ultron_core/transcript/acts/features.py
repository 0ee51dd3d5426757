"""A person's turn as numbers: n-grams of words, classes of words, and both seen through the agent's act before."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ultron_core.transcript.acts.words import (
    ADVICE,
    ASKS,
    CLAIMS_DONE,
    EDITS,
    PROPOSES,
    REFUSES,
    TELLS,
    WORDS,
)
from ultron_core.transcript.language import language
from ultron_core.transcript.sense.reader import Passage

__all__ = ["CONTEXT", "HumanTurn", "agent_act", "dense_features", "dense_names", "grams"]

Vector = npt.NDArray[np.float64]

#: longer turns and acts are cut to head and tail, as the labelled turns are
_LONGEST, _LONGEST_BEFORE = 700, 300
#: of what was asked before the beginning says what it is about
_LONGEST_ASKED = 300


@dataclass(frozen=True, slots=True)
class HumanTurn:
    """What a person wrote, what the agent had done before it (`agent_act` words that), and what the person had asked
    before that."""

    text: str
    before: str = ""
    interrupted: bool = False
    asked: str = ""

    @property
    def passage(self) -> Passage:
        """As the network reads it."""
        return self.asked[:_LONGEST_ASKED], self.before, self.text


def agent_act(text: str, calls: tuple[str, ...] = ()) -> str:
    """The agent's act before a turn: the end of what it wrote last and the names of its last five calls."""
    tail = f" [calls: {', '.join(calls[-5:])}]" if calls else ""
    return text.strip()[-max(1, _LONGEST_BEFORE - len(tail)) :] + tail


# code, addresses and paths say little by their letters, e.g. `` `make check` ``
_CODE = re.compile(r"```.*?(?:```|$)|`[^`]*`", re.DOTALL)
#: e.g. `https://example.org/a?b=1`
_URL = re.compile(r"https?://\S+")
#: e.g. `@src/app.py`, `~/notes/today.md`
_PATH = re.compile(r"@?[\w.~-]{0,200}/[\w./~-]+")
#: the list of tools that ends an answer handed to the model, e.g. `[calls: edit_file, run_tests]`
_CALLS = re.compile(r"\[calls: ([^\[\]]*)\]\s*$")
#: a word, one Chinese character, a number or a sign, e.g. `don't`, `端`, `42`, `?!`, `⟦path⟧`
_TOKEN = re.compile(
    r"⟦\w+⟧|[a-z]+(?:['’][a-z]+)?|[\u3400-\u9fff]|\d+|[?？]+|[!！]+|[.。…]+|[,，]|[:：]|\n", re.IGNORECASE
)
_ONE_SIGN = str.maketrans("？！。，：’", "?!.,:'")
#: e.g. `这样可以吗`
_QUESTION_END = re.compile(r"[吗呢么]\s*$")
#: e.g. `- first`
_BULLET = re.compile(r"^[^\S\n]*[-*•]\s", re.MULTILINE)
#: e.g. `No. Use the other one`, `不对。`
_SENTENCE_END = re.compile(r"(?<=[.?!。？！\n])")
#: e.g. `it was there`, `you changed it`, `改了`
_PAST = re.compile(r"\b(?:was|were|had|did|said|\w+ed)\b|了")

#: what the turn looks like
SHAPE = (
    "length",
    "short",
    "middling",
    "long",
    "question",
    "ends_with_question",
    "code",
    "path",
    "lines",
    "bullets",
    "chinese",
    "exclaims",
    "digits",
    "past",
    "standing_share",
)
#: what the agent did before; `chat`: it talked and called no tool
CONTEXT = (
    "first",
    "asked",
    "proposed",
    "done",
    "worked",
    "edited",
    "refused",
    "told",
    "advised",
    "chat",
    "interrupted",
)
#: word classes that count again when they stand in the first sentence
_OPENING = ("lasting", "standing", "negation", "fault", "request", "asks", "tells", "works", "thanks")
#: what a wish for later hangs on: the words around it tell it from a remark
_WISHES = ("lasting", "standing")
_CROSSED = (*WORDS, "short", "long", "question")


def _cleaned(text: str) -> str:
    text = text.strip()
    if len(text) > _LONGEST:
        text = f"{text[:500]} \n {text[-190:]}"
    text = _CODE.sub(" ⟦code⟧ ", text)
    return _PATH.sub(" ⟦path⟧ ", _URL.sub(" ⟦url⟧ ", text))


def _tokens(text: str) -> list[str]:
    """Lower-case words, single Chinese characters, punctuation; every number is `0`, a run of signs is one."""
    found = []
    for token in _TOKEN.findall(text.lower()):
        if token[0].isdigit():
            found.append("0")
        elif token[0] in ".。…":
            found.append(".." if len(token) > 1 else ".")
        else:
            found.append((token[0] if token[0] in "?？!！" else token).translate(_ONE_SIGN))
    return found


def grams(text: str) -> frozenset[str]:
    """Words, pairs of words, three Chinese characters in a row; `^` and `$` mark the first and the last."""
    return _grams(_tokens(_cleaned(text)))


def _grams(tokens: list[str]) -> frozenset[str]:
    found = {*tokens, *(f"{a} {b}" for a, b in pairwise(tokens))}
    for a, b, c in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if a > "\u3400" and b > "\u3400" and c > "\u3400":
            found.add(a + b + c)
    if tokens:
        found |= {"^" + tokens[0], "$" + tokens[-1]}
    if len(tokens) > 1:
        found |= {f"^{tokens[0]} {tokens[1]}", f"${tokens[-2]} {tokens[-1]}"}
    return frozenset(found)


def _word_classes(text: str) -> dict[str, float]:
    return {name: float(pattern.search(text) is not None) for name, pattern in WORDS.items()}


def _shape(turn: HumanTurn, text: str, tokens: list[str]) -> dict[str, float]:
    standing = len(WORDS["standing"].findall(text))
    return {
        "length": math.log1p(len(tokens)) / 4,
        "short": len(tokens) <= 6,
        "middling": 6 < len(tokens) <= 25,
        "long": len(text) > 300,
        "question": "?" in tokens or _QUESTION_END.search(text) is not None,
        "ends_with_question": turn.text.rstrip()[-1:] in ("?", "？"),
        "code": "```" in turn.text,
        "path": "⟦path⟧" in text,
        "lines": math.log1p(turn.text.count("\n")) / 3,
        "bullets": _BULLET.search(text) is not None,
        "chinese": language(turn.text) == "zh",
        "exclaims": "!" in tokens,
        "digits": "0" in tokens,
        "past": _PAST.search(text) is not None,
        "standing_share": min(1.0, standing * 15 / max(15, len(text))),
    }


def context_of(turn: HumanTurn) -> dict[str, float]:
    """What the agent did before the turn, by the names of CONTEXT."""
    before = turn.before[-_LONGEST_BEFORE:]
    listed = _CALLS.search(before)
    calls = listed.group(1) if listed else ""
    said = (before[: listed.start()] if listed else before).rstrip()
    first = not before.strip()
    return {
        "first": first,
        "asked": not first and ASKS.search(said[-200:]) is not None,
        "proposed": PROPOSES.search(said[-200:]) is not None,
        "done": CLAIMS_DONE.search(said) is not None,
        "worked": bool(calls),
        "edited": EDITS.search(calls) is not None,
        "refused": REFUSES.search(said) is not None,
        "told": not calls and TELLS.search(said) is not None,
        "advised": not calls and ADVICE.search(said) is not None,
        "chat": not calls and not first,
        "interrupted": turn.interrupted or "aborted" in said or "interrupted" in said,
    }


def dense_names() -> list[str]:
    """Names of the numbers that `dense_features` gives, in its order."""
    crossed = [f"{act}*{name}" for act in CONTEXT for name in _CROSSED]
    within = [f"{wish}*{name}" for wish in _WISHES for name in _CROSSED]
    return [*SHAPE, *CONTEXT, *WORDS, *(f"opening:{name}" for name in _OPENING), *crossed, *within]


@lru_cache(maxsize=512)
def dense_features(turn: HumanTurn) -> tuple[Vector, frozenset[str]]:
    """Shape, context, word classes and their products, and the n-grams; one pass over the text.

    Several readers ask for the same turn one after the other.
    """
    text = _cleaned(turn.text)
    tokens = _tokens(text)
    shape, context, words = _shape(turn, text, tokens), context_of(turn), _word_classes(text)
    opening = _SENTENCE_END.split(text, maxsplit=1)[0]
    starts = [float(WORDS[name].search(opening) is not None) for name in _OPENING]
    own: Mapping[str, float] = {**words, **shape}
    crossed = np.array([own[name] for name in _CROSSED], dtype=np.float64)
    acts = np.array(list(context.values()), dtype=np.float64)
    plain = np.array([*shape.values(), *acts, *words.values(), *starts], dtype=np.float64)
    products = np.outer(acts, crossed).ravel()
    wishes = [crossed * words[name] for name in _WISHES]
    return np.concatenate([plain, products, *wishes]), _grams(tokens)
